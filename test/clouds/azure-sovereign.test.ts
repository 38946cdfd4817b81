import { expect, test } from "bun:test";
import { AzureAuthorityHosts, ClientSecretCredential } from "@azure/identity";
import { findDefaultPrices } from "../../src/models/prices/find-default-prices.ts";
import { presetAt } from "../../src/models/presets.ts";
import { authorityOf, resourceOf } from "../../src/upstreams/identities/azure/azure-source.ts";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { TENANT } from "./azure-cloud.ts";

/** Where the official library requests an access token for a sign-in host. */
async function officialOrigin(authorityHost: string): Promise<string> {
  const urls: string[] = [];
  const httpClient = {
    sendRequest(request: { url: string }): Promise<never> {
      urls.push(request.url);
      return Promise.reject(new Error("not sent"));
    },
  };
  const options = { authorityHost, httpClient, retryOptions: { maxRetries: 0 } } as object;
  const credential = new ClientSecretCredential(TENANT, "client", "secret", options);
  await Promise.allSettled([credential.getToken("scope/.default")]);
  return new URL(urls[0]!).origin;
}

test.each([
  ["public", AzureAuthorityHosts.AzurePublicCloud, "com"],
  ["usgovernment", AzureAuthorityHosts.AzureGovernment, "us"],
  ["china", AzureAuthorityHosts.AzureChina, "cn"],
] as const)("%s has the sign-in host of the official library, and hosts of its own", async (cloud, host, domain) => {
  expect(authorityOf(cloud, {})).toEqual({ url: await officialOrigin(host), at: "internet" });
  expect(resourceOf(cloud)).toBe(`https://cognitiveservices.azure.${domain}`);
  const baseUrl = `https://acme.openai.azure.${domain}/openai/v1`;
  expect(presetAt(baseUrl, "openai")).toBe("azure");
  // Sovereign clouds have different prices.
  expect(findDefaultPrices(baseUrl, "gpt-4o-mini").length > 0).toBe(cloud === "public");
});

test("AZURE_AUTHORITY_HOST is the default, and no more than that", () => {
  const variables = readCloudVariables({ AZURE_AUTHORITY_HOST: "https://login.example/" });
  expect(authorityOf("public", variables)).toEqual({ url: "https://login.example", at: "chosen" });
  expect(authorityOf("china", variables)).toEqual(authorityOf("china", {}));
});
