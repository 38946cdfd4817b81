import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { AzureCloud } from "../../../models/identities/identity.ts";
import type { CloudPlace } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";

/** Where access tokens are issued. */
export interface Authority {
  /** Without a trailing slash. */
  readonly url: string;
  readonly at: CloudPlace;
}

/** The sign-in hosts: https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud */
const AUTHORITIES: Readonly<Record<AzureCloud, string>> = {
  public: "https://login.microsoftonline.com",
  usgovernment: "https://login.microsoftonline.us",
  china: "https://login.partner.microsoftonline.cn",
};

/** What an access token is for: Azure OpenAI and AI Foundry have the same resource. */
const RESOURCES: Readonly<Record<AzureCloud, string>> = {
  public: "https://cognitiveservices.azure.com",
  usgovernment: "https://cognitiveservices.azure.us",
  china: "https://cognitiveservices.azure.cn",
};

export function resourceOf(cloud: AzureCloud): string {
  return RESOURCES[cloud];
}

/** `AZURE_AUTHORITY_HOST` is the default of this machine; a cloud that an identity names goes before it. */
export function authorityOf(cloud: AzureCloud, { AZURE_AUTHORITY_HOST: host }: CloudVariables): Authority {
  if (cloud !== "public" || !host) return { url: AUTHORITIES[cloud], at: "internet" };
  const url = URL.parse(host.reveal());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new IdentityFailure("rejected", "AZURE_AUTHORITY_HOST is not a URL, such as https://login.microsoftonline.com");
  }
  return { url: url.origin, at: "chosen" };
}
