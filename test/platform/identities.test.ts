import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { identityOf } from "../../src/models/upstream-settings.ts";
import { secretsOf } from "../../src/models/identities/identity.ts";
import { OPERATOR, openPlatform, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const CANARY = "identity-canary-0001";
const AT_AWS = "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1";
const AT_GOOGLE = "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/endpoints/openapi";
const AT_AZURE = "https://acme.openai.azure.com/openai/v1";
const CLIENT = "11111111-2222-3333-4444-555555555555";
const KEYS = { region: "us-east-1", access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: CANARY };
const SERVICE_ACCOUNT = { type: "service_account", client_email: "a@acme.iam.gserviceaccount.com", private_key: CANARY };
const SECRET = { tenant_id: "acme.onmicrosoft.com", client_id: CLIENT, client_secret: CANARY };

let opened: PlatformInProcess;
/** All replies of the platform. */
const replies: string[] = [];

beforeAll(async () => {
  opened = await openPlatform();
});
afterAll(() => opened.stop());

async function call(operationId: string, id: string | undefined, body?: object): Promise<CallResult> {
  const result = await opened.call(OPERATOR, operationId, { ...(id !== undefined && { params: { id } }), ...(body && { body }) });
  replies.push(result.text);
  return result;
}

const create = (id: string, base_url: string, more: object): Promise<CallResult> =>
  call("createUpstream", undefined, { id, dialect: "openai", base_url, ...more });
const update = (id: string, body: object): Promise<CallResult> => call("updateUpstream", id, body);
const google = (credentials: unknown): object => ({ google: { credentials: JSON.stringify(credentials) } });

function secretsAt(id: string): Record<string, string> {
  const identity = identityOf(opened.stores.catalog.upstreams().get(id)!);
  return Object.fromEntries(Object.entries(identity ? secretsOf(identity) : {}).map(([field, secret]) => [field, secret.reveal()]));
}

describe("an upstream with an identity", () => {
  test("is created and shown without its secrets", async () => {
    const role = { role_arn: "arn:aws:iam::123456789012:role/gateway", external_id: CANARY, role_session_name: "tollgate" };
    expect((await create("aws", AT_AWS, { aws: { ...KEYS, session_token: CANARY, ...role } })).body).toMatchObject({
      credentials: [],
      aws: {
        region: "us-east-1",
        profile: null,
        access_key_id: "AKIAIOSFODNN7EXAMPLE",
        has_session_token: true,
        role_arn: role.role_arn,
        role_session_name: "tollgate",
        has_external_id: true,
      },
      google: null,
      azure: null,
    });
    expect(secretsAt("aws")).toEqual({ secret_access_key: CANARY, session_token: CANARY, external_id: CANARY });
    expect((await create("google", AT_GOOGLE, google(SERVICE_ACCOUNT))).body).toMatchObject({
      google: { project: null, location: null, credentials_file: null, has_credentials: true },
    });
    expect((await create("azure", AT_AZURE, { azure: SECRET })).body).toMatchObject({
      azure: { tenant_id: "acme.onmicrosoft.com", client_id: CLIENT, cloud: "public", has_client_secret: true, has_certificate: false },
    });
    expect((await call("showUpstream", "azure")).body).toMatchObject({ azure: { has_client_secret: true } });
  });

  test("keeps it when other fields change, and needs it again with another base URL", async () => {
    await create("kept", AT_AWS, { aws: KEYS });
    expect((await update("kept", { timeouts: { total_ms: 7 } })).body).toMatchObject({
      timeouts: { total_ms: 7 },
      aws: { region: "us-east-1" },
    });
    expect(secretsAt("kept")).toEqual({ secret_access_key: CANARY });
    const base_url = "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1";
    const refused = await update("kept", { base_url });
    expect([refused.status, refused.body["code"], refused.text]).toEqual([
      400,
      "missing_required_parameter",
      expect.stringMatching(/^aws is required with another base_url/) as string,
    ]);
    const moved = await update("kept", { base_url, aws: { ...KEYS, region: "eu-west-1", secret_access_key: `${CANARY}-2` } });
    expect(moved.body).toMatchObject({ base_url, aws: { region: "eu-west-1" } });
    expect(secretsAt("kept")).toEqual({ secret_access_key: `${CANARY}-2` });
  });

  test("moves a derived base URL with the region, or the project and location, and rejects one of another region", async () => {
    await create("derived", AT_AWS, { base_url: undefined, dialect: undefined, preset: "bedrock-converse", aws: KEYS });
    expect((await update("derived", { aws: { ...KEYS, region: "eu-west-1" } })).body).toMatchObject({
      base_url: "https://bedrock-runtime.eu-west-1.amazonaws.com",
      aws: { region: "eu-west-1" },
    });
    const place = { project: "acme-prod", location: "global", credentials: JSON.stringify(SERVICE_ACCOUNT) };
    await create("placed", AT_GOOGLE, { base_url: undefined, dialect: undefined, preset: "vertex-gemini", google: place });
    const base_url = "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-prod/locations/europe-west4/publishers/google";
    expect((await update("placed", { google: { ...place, location: "europe-west4" } })).body).toMatchObject({ base_url });
    expect((await update("placed", google(SERVICE_ACCOUNT))).body).toMatchObject({ base_url });
    const fixed = "https://vpce-0a-b.bedrock-runtime.us-east-1.vpce.amazonaws.com/openai/v1";
    await create("fixed", fixed, { aws: KEYS });
    const refused = await update("fixed", { aws: { ...KEYS, region: "eu-west-1" } });
    expect([refused.status, refused.text]).toEqual([
      400,
      "base_url is in the region us-east-1, and aws.region is eu-west-1: make them the same, or omit base_url.",
    ]);
  });

  test("can have a credential in its place, and the reverse, never both", async () => {
    await create("switched", AT_AZURE, { credential: `sk-${CANARY}` });
    expect((await update("switched", { azure: SECRET })).body).toMatchObject({ credentials: [], azure: { client_id: CLIENT } });
    expect((await update("switched", { credential: `sk-${CANARY}` })).body).toMatchObject({
      credentials: [{ last4: "0001" }],
      azure: null,
    });
    await update("switched", { azure: SECRET });
    expect((await call("replaceCredential", "switched", { credential: `sk-${CANARY}` })).body).toMatchObject({ azure: null });
    await update("switched", { azure: SECRET });
    expect((await call("removeCredential", "switched")).body).toMatchObject({ credentials: [], azure: null });
    for (const both of [{ credential: "a-credential" }, { credentials: ["a-credential"] }]) {
      const refused = await update("switched", { ...both, azure: SECRET });
      expect([refused.status, refused.text]).toEqual([400, `azure cannot be combined with ${Object.keys(both)[0]}: set only one of them.`]);
    }
    expect((await update("switched", { azure: SECRET, aws: KEYS })).text).toBe(
      "azure cannot be combined with aws: an upstream has one identity.",
    );
  });

  test("has its changes in the audit log, which say that it was replaced", async () => {
    await create("audited", AT_AWS, { aws: KEYS });
    await update("audited", { aws: { ...KEYS, secret_access_key: `${CANARY}-3` } });
    const { body, text } = await opened.call(OPERATOR, "listChanges", { query: "kind=upstream&id=audited" });
    replies.push(text);
    expect(body["data"]).toMatchObject([
      { action: "upstream.update", before: { aws: { region: "us-east-1" } }, after: { aws: { region: "us-east-1", replaced: true } } },
      { action: "upstream.create", after: { aws: { access_key_id: KEYS.access_key_id } } },
    ]);
  });
});

/** An upstream with an identity instead of the region or the cloud of its base URL. */
function inPlaceOf(baseUrl: string, identity: { aws?: object; azure?: object }): object {
  const [region] = /[a-z]{2,4}(-[a-z]+)+-\d(?=\.)/.exec(baseUrl) ?? ["us-east-1"];
  const cloud = baseUrl.includes(".azure.us/") ? "usgovernment" : baseUrl.includes(".azure.cn/") ? "china" : "public";
  const { aws, azure } = identity;
  return { ...identity, ...(aws && { aws: { ...aws, region } }), ...(azure && { azure: { ...azure, cloud } }) };
}

describe("the platform API rejects", () => {
  const ofMachine = "the identity of the machine is only allowed in tollgate.yaml.";

  test.each<[string, string, object, string]>([
    [
      "the machine's identity at AWS",
      AT_AWS,
      { aws: { region: "us-east-1" } },
      `aws needs aws.access_key_id and aws.secret_access_key: ${ofMachine}`,
    ],
    ["a profile", AT_AWS, { aws: { region: "us-east-1", profile: "prod" } }, "aws.profile is only allowed in tollgate.yaml."],
    ["the machine's identity at Google", AT_GOOGLE, { google: {} }, `google needs google.credentials: ${ofMachine}`],
    [
      "a file",
      AT_GOOGLE,
      { google: { credentials_file: "/etc/passwd" } },
      "google.credentials_file is only allowed in tollgate.yaml: give google.credentials.",
    ],
    [
      "the machine's identity at Azure",
      AT_AZURE,
      { azure: { client_id: CLIENT } },
      `azure needs azure.client_secret or azure.certificate: ${ofMachine}`,
    ],
    [
      "federation, which reads files of the machine",
      AT_GOOGLE,
      google({ type: "external_account", credential_source: { file: "/etc/passwd" }, token_url: "https://thief.example" }),
      "google.credentials must be the JSON key of a service account: other credentials are only allowed in tollgate.yaml.",
    ],
    [
      "another token endpoint",
      AT_GOOGLE,
      google({ ...SERVICE_ACCOUNT, token_uri: "https://thief.example/token" }),
      "google.credentials must have the token_uri https://oauth2.googleapis.com/token.",
    ],
    [
      "half of an access key",
      AT_AWS,
      { aws: { region: "us-east-1", access_key_id: KEYS.access_key_id } },
      "aws.secret_access_key is required: an access key has both parts.",
    ],
  ])("%s", async (_, baseUrl, identity, message) => {
    const { status, text } = await create("refused", baseUrl, identity);
    expect([status, text]).toEqual([400, message]);
  });

  test.each<[object, string[], string[]]>([
    [
      { aws: KEYS },
      [
        "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
        "https://bedrock-runtime.us-east-1.api.aws",
        "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com",
        "https://bedrock-mantle.us-east-1.api.aws/v1",
        "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu",
        "https://vpce-0a1b2c-xyz-us-east-1a.bedrock-runtime.us-east-1.vpce.amazonaws.com",
      ],
      [
        "https://ec2-203-0-113-25.us-west-2.compute.amazonaws.com",
        "https://bedrock-runtime.us-east-1.elb.amazonaws.com",
        "https://bedrock.s3-us-west-2.amazonaws.com",
        "https://bedrock-runtime.s3.us-east-1.amazonaws.com",
        "https://vpce-0a1b2c-xyz.vpce-svc-0a1b2c.us-east-1.vpce.amazonaws.com",
        "https://thief.bedrock-runtime.us-east-1.amazonaws.com",
        "https://amazonaws.com.thief.example",
        "https://thiefamazonaws.com",
        "https://amazonaws.com.cn.thief.example",
        "https://acme.openai.azure.com",
      ],
    ],
    [
      google(SERVICE_ACCOUNT),
      ["https://europe-west4-aiplatform.googleapis.com/v1"],
      ["https://googleapis.com.thief.example/v1", "https://thief.example/googleapis.com"],
    ],
    [
      { azure: SECRET },
      [
        "https://acme.openai.azure.us/openai/v1",
        "https://acme.services.ai.azure.com/openai/v1",
        "https://acme.cognitiveservices.azure.cn/openai/v1",
      ],
      ["https://acme.azurewebsites.net/openai/v1", "https://acme.azure.com/v1", "https://acme.services.ai.azure.us/v1"],
    ],
  ])("hosts that are not the cloud's own (%#)", async (identity, own, foreign) => {
    for (const [at, base_url] of own.entries()) {
      const created = await create(`own-${Object.keys(identity)[0]}-${at}`, base_url, inPlaceOf(base_url, identity));
      expect([base_url, created.status]).toEqual([base_url, 201]);
    }
    await create("mover", own[0]!, inPlaceOf(own[0]!, identity));
    for (const base_url of foreign) {
      const inPlace = inPlaceOf(base_url, identity);
      for (const { status, text } of [await create("foreign", base_url, inPlace), await update("mover", { base_url, ...inPlace })]) {
        expect([base_url, status, text]).toEqual([base_url, 400, expect.stringMatching(/^base_url is not a host of the cloud/) as string]);
      }
    }
    const plain = await create("plain", own[0]!.replace("https:", "http:"), { ...inPlaceOf(own[0]!, identity), allow_private: true });
    expect(plain.text).toBe(`base_url must be https:// with ${Object.keys(identity)[0]}.`);
    await call("removeUpstream", "mover");
  });
});

test("the API version of Azure is cleared by null, which is the version of the preset, and moves to no other server", async () => {
  const at = { preset: "azure-deployments", dialect: undefined, azure: SECRET };
  const created = await create("versioned", "https://acme.openai.azure.com/openai", { ...at, api_version: "2025-04-01-preview" });
  expect(created.body).toMatchObject({ api_version: "2025-04-01-preview" });
  const moved = { preset: "openai", base_url: "https://api.openai.com/v1", credential: CANARY };
  expect((await update("versioned", moved)).text).toBe("api_version is allowed only with the presets azure and azure-deployments.");
  expect((await update("versioned", { api_version: null })).body).toMatchObject({ api_version: null });
  expect((await create("unversioned", "https://acme.openai.azure.com/openai", { ...at, api_version: null })).body).toMatchObject({
    api_version: null,
  });
});

test("no secret is in any reply", () => {
  expect(replies.length).toBeGreaterThan(40);
  for (const text of replies) expect(text).not.toContain("canary");
});
