import { expect, test } from "bun:test";
import { Secret } from "../lib/secret/secret.ts";
import type { AzureIdentity } from "../models/identities/identity.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { identityWarnings } from "./warnings.ts";
import { MACHINE_IDENTITY } from "../../test/clouds/azure-cloud.ts";

const VALUE = new Secret("value");

function warningsOf(identity: Partial<AzureIdentity>, ...set: readonly string[]): string[] {
  const upstream = { id: "azure", dialect: "openai", identity: { ...MACHINE_IDENTITY, ...identity } } as unknown as UpstreamSettings;
  return identityWarnings([upstream], Object.fromEntries(set.map((name) => [name, VALUE])));
}

test("warns about a secret of Azure in the environment that no client uses", () => {
  expect(warningsOf({}, "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID")).toEqual([
    "AZURE_CLIENT_SECRET is not used without AZURE_CLIENT_ID, which is not set",
  ]);
  expect(warningsOf({ clientId: "c" }, "AZURE_FEDERATED_TOKEN_FILE")).toEqual([
    "AZURE_FEDERATED_TOKEN_FILE is not used without AZURE_TENANT_ID, which is not set",
  ]);
  expect(warningsOf({ tenantId: "t" }, "AZURE_CLIENT_SECRET", "AZURE_CLIENT_ID")).toEqual([]);
  expect(warningsOf({ tenantId: "t", clientId: "c", clientSecret: VALUE }, "AZURE_CLIENT_SECRET")).toEqual([]);
  expect(warningsOf({})).toEqual([]);
  expect(identityWarnings([{ id: "echo", dialect: "echo" }], { AZURE_CLIENT_SECRET: VALUE })).toEqual([]);
});
