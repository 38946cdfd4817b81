import { afterAll, expect, test } from "bun:test";
import { Compute, IdentityPoolClient, JWT, type IdentityPoolClientOptions } from "google-auth-library";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { GoogleSource } from "../../src/upstreams/identities/google/google-source.ts";
import { EMAIL, federationFile, IMPERSONATION_URL, keyFile, SCOPE } from "./google-cloud.ts";

/**
 * Compares the requests that Google's own library sends for the same file. Both are sent to a server that accepts anything and records it.
 */

interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly type: string | null;
  readonly authorization: string | null;
  readonly flavor: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

const sent: SentRequest[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    sent.push(await record(request));
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    const reply = { access_token: "ya29.first", expires_in: 3600, token_type: "Bearer", accessToken: "ya29.second", expireTime };
    return Response.json(reply, { headers: { "metadata-flavor": "Google" } });
  },
});
const origin = `http://127.0.0.1:${server.port}`;
const folder = mkdtempSync(join(tmpdir(), "tollgate-google-library-"));
const proof = join(folder, "proof");
writeFileSync(proof, "proof-of-the-workload");

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop(true);
});

async function record(request: Request): Promise<SentRequest> {
  const { pathname, search } = new URL(request.url);
  const text = await request.text();
  // The library adds a character set, which makes no difference: a form is ASCII.
  const type = request.headers.get("content-type")?.replace(/;charset=utf-8$/i, "") ?? null;
  return {
    method: request.method,
    target: pathname + search,
    type,
    authorization: request.headers.get("authorization"),
    flavor: request.headers.get("metadata-flavor"),
    body: type === "application/json" ? (JSON.parse(text) as SentRequest["body"]) : Object.fromEntries(new URLSearchParams(text)),
  };
}

/** The gateway's requests for this file; without a file, for the machine's identity. */
async function sentByGateway(text: string | undefined): Promise<SentRequest[]> {
  sent.length = 0;
  const variables = {
    CLOUDSDK_AUTH_TOKEN_HOST: new Secret(origin),
    CLOUDSDK_API_ENDPOINT_OVERRIDES_STS: new Secret(origin),
    CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS: new Secret(origin),
    GCE_METADATA_HOST: new Secret(origin),
  };
  const credentials = text === undefined ? undefined : new Secret(text);
  const identity = { kind: "google", credentials, credentialsFile: undefined, project: undefined, location: undefined } as const;
  await new GoogleSource(identity, variables).obtain(new Cancellation());
  return sent.splice(0);
}

/** The library's transport, with Google's hosts redirected to the server of this test. */
function redirected(fetched: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname, search } = new URL(fetched instanceof Request ? fetched.url : fetched);
  return fetch(`${origin}${pathname}${search}`, init);
}

test("a service account signs the same assertion", async () => {
  const file = JSON.parse(keyFile()) as { client_email: string; private_key: string };
  sent.length = 0;
  const client = new JWT({
    email: file.client_email,
    key: file.private_key,
    scopes: [SCOPE],
    transporterOptions: { fetchImplementation: redirected },
  });
  await client.getAccessToken();
  const theirs = sent.splice(0);
  const ours = await sentByGateway(keyFile());
  expect(ours.map(withoutAssertion)).toEqual(theirs.map(withoutAssertion));
  const [one, other] = [ours, theirs].map(([first]) => String(first!.body["assertion"]));
  expect(decodeProtectedHeader(one!)).toEqual(decodeProtectedHeader(other!));
  expect(claimsOf(one!)).toEqual(claimsOf(other!));
  expect(claimsOf(one!)).toEqual({ iss: EMAIL, scope: SCOPE, aud: "https://oauth2.googleapis.com/token", lifetime: 3600 });
});

test.each([
  ["with the proof of a file", {}],
  ["that impersonates", { service_account_impersonation_url: IMPERSONATION_URL }],
  [
    "with a lifetime",
    { service_account_impersonation_url: IMPERSONATION_URL, service_account_impersonation: { token_lifetime_seconds: 900 } },
  ],
  [
    "of a workforce",
    { audience: "//iam.googleapis.com/locations/global/workforcePools/p/providers/q", workforce_pool_user_project: "123" },
  ],
  [
    "of a workforce with a client",
    {
      audience: "//iam.googleapis.com/locations/global/workforcePools/p/providers/q",
      workforce_pool_user_project: "123",
      client_id: "client",
      client_secret: "secret",
    },
  ],
  ["with a client", { client_id: "client", client_secret: "secret" }],
])("workload identity federation %s sends the same requests", async (_name, changes) => {
  const text = federationFile({ file: proof }, changes);
  const ours = await sentByGateway(text);
  // The library does not use the caller's transport for this exchange (https://github.com/googleapis/google-cloud-node/issues/8292).
  const moved = JSON.parse(text.replaceAll(/https:\/\/(sts|iamcredentials)\.googleapis\.com/g, origin)) as IdentityPoolClientOptions;
  sent.length = 0;
  await new IdentityPoolClient(moved).getAccessToken();
  expect(ours).toEqual(sent.splice(0));
  expect(ours).toHaveLength("service_account_impersonation_url" in changes ? 2 : 1);
});

test("the metadata server is asked the same", async () => {
  const ours = await sentByGateway(undefined);
  const before = process.env["GCE_METADATA_HOST"];
  process.env["GCE_METADATA_HOST"] = origin;
  try {
    sent.length = 0;
    await new Compute({ scopes: [SCOPE] }).getAccessToken();
  } finally {
    if (before === undefined) delete process.env["GCE_METADATA_HOST"];
    else process.env["GCE_METADATA_HOST"] = before;
  }
  expect(ours).toEqual(sent.splice(0));
});

function withoutAssertion(each: SentRequest): object {
  return { ...each, body: { ...each.body, assertion: undefined } };
}

/** The claims without the signing time, which differs. */
function claimsOf(assertion: string): object {
  const { iat = 0, exp = 0, ...claims } = decodeJwt(assertion);
  return { ...claims, lifetime: exp - iat };
}
