import { expect, test } from "bun:test";
import { declaredUpstreamSchema, fromUpstream, toUpstream, type DeclaredUpstream } from "./declared-upstream.ts";
import { findViolation } from "../lib/schema/schema.ts";
import { isOfMachine } from "./identities/identity.ts";
import type { RemoteSettings } from "./upstream-settings.ts";

function upstream(declared: Omit<DeclaredUpstream, "id">): RemoteSettings {
  return toUpstream({ id: "u", ...declared }, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  }) as RemoteSettings;
}

function at(dialect: "openai" | "anthropic" | "gemini", baseUrl: string): string {
  return upstream({ dialect, base_url: baseUrl }).baseUrl;
}

test.each([
  [{ dialect: "bedrock" }, "us-east-1", "https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock-converse"],
  [{ preset: "bedrock-converse" }, "us-gov-west-1", "https://bedrock-runtime.us-gov-west-1.amazonaws.com", "bedrock-converse"],
  [{ dialect: "bedrock" }, "eusc-de-east-1", "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu", "bedrock-converse"],
  [{ preset: "bedrock-converse" }, "cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "bedrock-converse"],
  [{ preset: "bedrock" }, "eu-central-1", "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", "bedrock"],
  [{ dialect: "bedrock", base_url: "https://proxy.test/aws" }, "us-east-1", "https://proxy.test/aws", undefined],
] as const)("%j in the region %s is at %s", (declared, region, baseUrl, preset) => {
  expect(upstream({ ...declared, aws: { region } })).toMatchObject({ baseUrl, preset });
});

test("an upstream of Bedrock without a region needs a base URL", () => {
  expect(() => upstream({ preset: "bedrock-converse" })).toThrow("is required with the preset bedrock-converse");
});

test("adds the standard path to a host for formats that have one", () => {
  expect(at("anthropic", "https://a.test")).toBe("https://a.test/v1");
  expect(at("anthropic", "https://a.test/")).toBe("https://a.test/v1");
  expect(at("gemini", "https://a.test")).toBe("https://a.test/v1beta");
  expect(at("gemini", "https://a.test/v1/publishers/google")).toBe("https://a.test/v1/publishers/google");
  expect(at("openai", "https://a.test")).toBe("https://a.test");
});

test("a well-known base URL selects its preset", () => {
  expect(upstream({ dialect: "anthropic", base_url: "https://api.anthropic.com" }).preset).toBe("anthropic");
  expect(upstream({ dialect: "openai", base_url: "https://a.test/v1" }).preset).toBeUndefined();
});

test("presets that serve the Responses API can have its dialect, and others cannot", () => {
  expect(upstream({ preset: "openai", dialect: "responses" })).toMatchObject({ dialect: "responses", preset: "openai" });
  expect(upstream({ preset: "openai" })).toMatchObject({ dialect: "openai" });
  expect(upstream({ dialect: "responses", base_url: "https://api.x.ai/v1" })).toMatchObject({ dialect: "responses", preset: "xai" });
  expect(upstream({ dialect: "responses", base_url: "https://api.groq.com/openai/v1" }).preset).toBeUndefined();
  expect(() => upstream({ preset: "groq", dialect: "responses" })).toThrow(
    "dialect differs from the API format of the preset groq, which speaks openai",
  );
  expect(() => upstream({ preset: "openai", dialect: "gemini" })).toThrow("which speaks openai and responses");
});

function geminiIn(location: string): string {
  return upstream({ preset: "vertex-gemini", google: { project: "acme-prod", location } }).baseUrl;
}

function pathIn(location: string): string {
  return `/v1/projects/acme-prod/locations/${location}/publishers/google`;
}

function isOfMachineWith(credentials: string): boolean {
  return isOfMachine(upstream({ preset: "vertex", base_url: "https://a.test", google: { credentials } }).identity!);
}

test("the base URL of Vertex AI has the project and the location of the identity", () => {
  expect(geminiIn("europe-west4")).toBe(`https://europe-west4-aiplatform.googleapis.com${pathIn("europe-west4")}`);
  expect(geminiIn("global")).toBe(`https://aiplatform.googleapis.com${pathIn("global")}`);
  expect(geminiIn("eu")).toBe(`https://aiplatform.eu.rep.googleapis.com${pathIn("eu")}`);
  const claude = upstream({ preset: "vertex-claude", google: { project: "acme-prod", location: "us" } });
  expect(claude.baseUrl).toBe("https://aiplatform.us.rep.googleapis.com/v1/projects/acme-prod/locations/us/publishers/anthropic");
  const openai = upstream({ preset: "vertex", google: { project: "acme-prod", location: "global" } });
  expect(openai.baseUrl).toBe("https://aiplatform.googleapis.com/v1/projects/acme-prod/locations/global/endpoints/openapi");
  const own = "https://aiplatform-acme.p.googleapis.com/v1/projects/acme-prod/locations/global/publishers/anthropic";
  expect(upstream({ preset: "vertex-claude", base_url: own, google: { project: "acme-prod", location: "global" } }).baseUrl).toBe(own);
  expect(upstream({ dialect: "anthropic", base_url: own, google: {} }).preset).toBe("vertex-claude");
  expect(() => upstream({ preset: "vertex-gemini", google: { project: "acme-prod" } })).toThrow(/or google\.project and google\.location$/);
});

test("credentials of Google are the text of a file, and federation is the identity of the machine", () => {
  expect(isOfMachineWith('{"type":"service_account","client_email":"a@b.test","private_key":"k"}')).toBe(false);
  expect(isOfMachineWith('{"type":"external_account"}')).toBe(true);
  expect(() => isOfMachineWith("/etc/key.json")).toThrow(/google\.credentials must be the text of a JSON file/);
});

test("the version of the API is one that the preset has", () => {
  const atAzure = { base_url: "https://acme.openai.azure.com/openai", dialect: "openai" } as const;
  expect(upstream(atAzure).apiVersion).toBeUndefined();
  expect(upstream({ ...atAzure, api_version: "2025-04-01-preview" }).apiVersion).toBe("2025-04-01-preview");
  expect(upstream({ ...atAzure, base_url: `${atAzure.base_url}/v1`, api_version: "preview" }).apiVersion).toBe("preview");
  expect(fromUpstream(upstream({ ...atAzure, api_version: "2024-06-01" }))).toMatchObject({ api_version: "2024-06-01" });
  expect(() => upstream({ ...atAzure, api_version: "preview" })).toThrow("api_version must be a date");
  expect(() => upstream({ preset: "groq", api_version: "preview" })).toThrow("api_version is allowed only with the presets azure");
});

const AT_BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com";
const AT_VERTEX = "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-prod/locations/europe-west4/publishers/google";
const AT_GOVERNMENT = "https://acme.openai.azure.us/openai/v1";

test.each<[Partial<DeclaredUpstream>, string]>([
  [{ dialect: "bedrock", base_url: AT_BEDROCK, aws: { region: "us-east-1" } }, "is in the region eu-west-1, and aws.region is us-east-1"],
  [
    {
      dialect: "bedrock",
      base_url: "https://vpce-0a-b.bedrock-runtime.eu-west-1.vpce.amazonaws.com",
      aws: { region: "us-east-1" },
      allow_private: true,
    },
    "is in the region eu-west-1, and aws.region is us-east-1",
  ],
  [
    { dialect: "gemini", base_url: AT_VERTEX, google: { project: "acme-test" } },
    "has the project acme-prod, and google.project is acme-test",
  ],
  [
    { dialect: "gemini", base_url: AT_VERTEX, google: { location: "global" } },
    "has the location europe-west4, and google.location is global",
  ],
  [{ preset: "azure", base_url: AT_GOVERNMENT, azure: {} }, "is a host of the cloud usgovernment, and azure.cloud is public"],
  [
    { preset: "azure", base_url: "https://acme.openai.azure.com/openai/v1", azure: { cloud: "china" } },
    "is a host of the cloud public, and azure.cloud is china",
  ],
])("rejects a base URL of a different place than the identity's (%#)", (declared, message) => {
  expect(() => upstream(declared)).toThrow(`base_url ${message}`);
});

test("accepts the number of a project, and hosts that name no place", () => {
  const numbered = AT_VERTEX.replace("acme-prod", "123456789012");
  expect(upstream({ dialect: "gemini", base_url: numbered, google: { project: "acme-prod", location: "europe-west4" } }).baseUrl).toBe(
    numbered,
  );
  expect(upstream({ preset: "azure", base_url: AT_GOVERNMENT, azure: { cloud: "usgovernment" } }).baseUrl).toBe(AT_GOVERNMENT);
  expect(upstream({ preset: "azure", base_url: "https://api.acme.test/openai", azure: {} }).preset).toBe("azure");
});

test.each<[Partial<DeclaredUpstream>, string]>([
  [
    { preset: "openai", aws: { region: "us-east-1" } },
    "aws cannot be combined with the preset openai: it is for bedrock, bedrock-converse",
  ],
  [
    { dialect: "openai", base_url: "https://api.openai.com/v1", azure: {} },
    "azure cannot be combined with the preset openai: it is for azure",
  ],
  [{ preset: "gemini", google: {} }, "google cannot be combined with the preset gemini: it is for vertex, vertex-gemini, vertex-claude"],
])("rejects an identity at the server of a preset that takes none (%#)", (declared, message) => {
  expect(() => upstream(declared)).toThrow(message);
});

const KEYS = { region: "us-east-1", secret_access_key: "secret-canary" };
const APPLICATION = { tenant_id: "t", client_id: "11111111-2222-3333-4444-555555555555" };
const AT_AZURE = { preset: "azure", base_url: "https://acme.openai.azure.com/openai/v1" } as const;
const AT_GLOBAL = { project: "acme-prod", location: "global" };

test.each<[Partial<DeclaredUpstream>, string]>([
  [
    { preset: "vertex-gemini", google: { ...AT_GLOBAL, credentials: "/etc/canary.json" } },
    "google.credentials must be the text of a JSON file with a type, such as the key of a service account, not a path: use google.credentials_file",
  ],
  [
    { preset: "vertex-gemini", google: { ...AT_GLOBAL, credentials: '{"type":"service_account","client_email":"canary"}' } },
    "google.credentials has no private_key",
  ],
  [{ ...AT_AZURE, azure: { ...APPLICATION, certificate: "/etc/canary.pem" } }, "azure.certificate must be the text of a certificate"],
  [
    { ...AT_AZURE, azure: { ...APPLICATION, certificate: "-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----" } },
    "azure.certificate has no private key as PEM",
  ],
])("rejects credentials that no cloud would accept, without their text (%#)", (declared, message) => {
  expect(() => upstream(declared)).toThrow(message);
  expect(() => upstream(declared)).not.toThrow("canary");
});

const violationOf = (declared: object): string => findViolation(declaredUpstreamSchema, { id: "u", ...declared })!.message;

test("takes no secret for an access key ID, and no name for a client ID", () => {
  const secret = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYxx";
  const problem = violationOf({ aws: { ...KEYS, access_key_id: secret } });
  expect(problem).toBe("must be an access key ID, which starts with AKIA or ASIA");
  expect(violationOf({ azure: { client_id: "gateway" } })).toBe('must be a client ID, which is a UUID, not "gateway"');
});
