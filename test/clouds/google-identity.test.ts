import { afterAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { GoogleIdentity } from "../../src/models/identities/identity.ts";
import type { IdentityFailure, ObtainedCredentials, AccessToken } from "../../src/upstreams/identities/credential-source.ts";
import { GoogleSource } from "../../src/upstreams/identities/google/google-source.ts";
import { eventually } from "../support/eventually.ts";
import { EMAIL, federationFile, googleError, IMPERSONATION_URL, keyFile, startGoogleCloud } from "./google-cloud.ts";

const cloud = startGoogleCloud();
const folder = mkdtempSync(join(tmpdir(), "tollgate-google-"));
const subjectFile = written("subject.jwt", await cloud.subjectToken());
const subjectJson = written("subject.json", JSON.stringify({ proof: await cloud.subjectToken() }));
/** A local service that issues proofs, as text and as JSON, to callers that send its header. */
const issuer = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    if (request.headers.get("x-agent") !== "tollgate") return new Response("who?", { status: 403 });
    const token = await cloud.subjectToken();
    return new URL(request.url).pathname === "/json" ? Response.json({ proof: token }) : new Response(`${token}\n`);
  },
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await issuer.stop(true);
  await cloud.stop();
});

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function sourceOf(
  of: Partial<GoogleIdentity> | string,
  variables: Record<string, string> = cloud.variables,
  nowMs?: () => number,
): GoogleSource {
  const identity: Partial<GoogleIdentity> = typeof of === "string" ? { credentials: new Secret(of) } : of;
  const secrets = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, new Secret(value)]));
  const none = { credentials: undefined, credentialsFile: undefined, project: undefined, location: undefined };
  return new GoogleSource({ kind: "google", ...none, ...identity }, secrets, nowMs);
}

function obtain(source: GoogleSource): Promise<ObtainedCredentials<AccessToken>> {
  return source.obtain(new Cancellation());
}

async function failureOf(source: GoogleSource): Promise<IdentityFailure> {
  const [outcome] = await Promise.allSettled([obtain(source)]);
  if (outcome.status === "fulfilled") throw new Error("an access token was obtained");
  return outcome.reason as IdentityFailure;
}

async function expectValid(source: GoogleSource, from: RegExp, at = cloud): Promise<void> {
  const { credentials, source: name } = await obtain(source);
  expect(at.accepts(`Bearer ${credentials.token.reveal()}`)).toBe(true);
  expect(Math.abs(credentials.expiresAtMs! - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect(name).toMatch(from);
}

describe("a service account", () => {
  const home = join(folder, "home");
  const path = written("key.json", keyFile());
  mkdirSync(join(home, ".config/gcloud"), { recursive: true });
  written("home/.config/gcloud/application_default_credentials.json", keyFile());
  test.each<[string, Partial<GoogleIdentity> | string, Record<string, string>, RegExp]>([
    ["the field", keyFile(), {}, /^the key of gateway@acme-prod\S+ in the field credentials$/],
    ["the file", { credentialsFile: path }, {}, /key\.json$/],
    ["the variable", {}, { GOOGLE_APPLICATION_CREDENTIALS: path, HOME: home }, /GOOGLE_APPLICATION_CREDENTIALS/],
    ["the file of gcloud", {}, { HOME: home }, /home\/\.config\/gcloud/],
  ])("signs for an access token with the key of %s", async (_name, of, variables, from) => {
    const own = startGoogleCloud();
    try {
      const source = sourceOf(of, { ...own.variables, ...variables });
      await expectValid(source, from, own);
      expect(own.served).toEqual(["/token"]);
    } finally {
      await own.stop();
    }
  });

  test.each([10, -10])("signs again by the clock of Google, which is %p minutes ahead", async (minutes) => {
    const other = startGoogleCloud({ clockOffsetMs: minutes * 60_000 });
    try {
      const source = sourceOf(keyFile(), other.variables);
      const { credentials } = await obtain(source);
      expect(other.accepts(`Bearer ${credentials.token.reveal()}`)).toBe(true);
      expect(Math.abs(credentials.expiresAtMs! - Date.now() - 3_600_000)).toBeLessThan(60_000);
      expect(Math.round(source.clockSkewMs / 60_000)).toBe(minutes);
    } finally {
      await other.stop();
    }
  });

  test("goes back to the clock of this machine where that was set right", async () => {
    const own = startGoogleCloud();
    try {
      let aheadMs = 600_000;
      const source = sourceOf(keyFile(), own.variables, () => Date.now() + aheadMs);
      await obtain(source);
      expect(Math.round(source.clockSkewMs / 60_000)).toBe(-10);
      aheadMs = 0;
      // Within the same second it would sign the same assertion again.
      await eventually(
        () => Promise.allSettled([obtain(source)]),
        ([outcome]) => outcome.status === "fulfilled",
      );
      expect(source.clockSkewMs).toBe(0);
    } finally {
      await own.stop();
    }
  });

  test("a rejection for a different reason than the clock is not asked again", async () => {
    const before = cloud.requests();
    await failureOf(sourceOf(keyFile({}, stranger)));
    expect(cloud.requests() - before).toBe(1);
  });

  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  test.each([
    [keyFile({}, stranger), "rejected", /Invalid JWT Signature\. The key was deleted or replaced/],
    [keyFile({ private_key: "-----BEGIN PRIVATE KEY-----\ncanary" }), "missing", /private_key of gateway@\S+ is not an RSA key/],
    [keyFile({ client_email: undefined }), "missing", /has no client_email/],
    [keyFile({ token_uri: "http://127.0.0.1:1/token" }), "missing", /token_uri .* must be an https:\/\/ address of googleapis\.com/],
    [keyFile({ token_uri: "https://googleapis.com.attacker.test/token" }), "missing", /token_uri/],
    [keyFile({ token_uri: "https://attackergoogleapis.com/token" }), "missing", /token_uri/],
    [keyFile({ universe_domain: "attacker.test" }), "missing", /different universe/],
    [keyFile({ type: "authorized_user" }), "missing", /the sign-in of a person/],
    [keyFile({ type: "impersonated_service_account" }), "missing", /Use the key of that service account/],
    [keyFile({ type: "other" }), "missing", /neither the type service_account nor external_account/],
    ["not JSON, canary", "missing", /is not JSON$/],
  ])("%#: a wrong key is explained, without its text", async (text, reason, message) => {
    const failure = await failureOf(sourceOf(text));
    expect(failure.reason).toBe(reason as IdentityFailure["reason"]);
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toMatch(/canary|BEGIN/);
  });
});

describe("workload identity federation", () => {
  const local = { headers: { "x-agent": "tollgate" } };
  test.each([
    ["a file", { file: subjectFile }],
    ["a file with JSON", { file: subjectJson, format: jsonFormat() }],
    ["a URL", { ...local, url: `http://127.0.0.1:${issuer.port}/text` }],
    ["a URL with JSON", { ...local, url: `http://localhost:${issuer.port}/json`, format: jsonFormat() }],
  ])("exchanges a proof from %s, and impersonates a service account", async (_name, source) => {
    await expectValid(sourceOf(federationFile(source)), /^workload identity federation by the field credentials$/);
    await expectValid(sourceOf(federationFile(source, { service_account_impersonation_url: IMPERSONATION_URL })), /federation/);
    expect(cloud.served.slice(-3)).toEqual(["/v1/token", "/v1/token", "generateAccessToken"]);
  });

  test("takes the expiry of an impersonated service account by the clock of Google, and its lifetime from the file", async () => {
    const ahead = startGoogleCloud({ clockOffsetMs: 600_000 });
    try {
      const file = written("ahead.jwt", await ahead.subjectToken());
      const settings = { service_account_impersonation: { token_lifetime_seconds: 600 } };
      const text = federationFile({ file }, { service_account_impersonation_url: IMPERSONATION_URL, ...settings });
      const { credentials } = await obtain(sourceOf(text, ahead.variables));
      expect(Math.abs(credentials.expiresAtMs! - Date.now() - 600_000)).toBeLessThan(60_000);
    } finally {
      await ahead.stop();
    }
  });

  test("reads the proof again for each access token", async () => {
    const file = written("rotated.jwt", await cloud.subjectToken(-60));
    const source = sourceOf(federationFile({ file }));
    const failure = await failureOf(source);
    expect(failure.reason).toBe("expired");
    expect(failure.message).toMatch(/Security Token Service returned status 400/);
    expect(failure.message).not.toContain("eyJ");
    written("rotated.jwt", await cloud.subjectToken());
    await expectValid(source, /federation/);
  });

  const elsewhere = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/other@acme.iam:generateAccessToken";
  test.each([
    [{ file: subjectFile }, { token_url: "https://sts.attacker.test/v1/token" }, /token_url .* googleapis\.com/],
    [{ file: subjectFile }, { token_url: "https://sts.googleapis.com:8443/v1/token" }, /token_url/],
    [
      { file: subjectFile },
      { service_account_impersonation_url: "http://iamcredentials.googleapis.com/" },
      /service_account_impersonation_url/,
    ],
    [{ file: subjectFile }, { service_account_impersonation_url: elsewhere }, /Grant iam\.serviceAccounts\.getAccessToken\./],
    [{ file: join(folder, "missing") }, {}, /missing does not exist: the credential_source names it/],
    [{ url: "http://10.0.0.1/proof" }, {}, /needs allow_private/],
    [{ url: "http://169.254.169.254/latest/meta-data" }, {}, /never called/],
    [{ url: "file:///etc/passwd" }, {}, /not an address/],
    [{ url: `http://127.0.0.1:${issuer.port}/text` }, {}, /returned status 403/],
    [{ file: subjectFile, format: jsonFormat() }, {}, /has no subject token/],
    [{ executable: { command: "true" } }, {}, /starts no other programs/],
    [{}, {}, /neither file nor url/],
  ])("%#: a wrong configuration is explained", async (source, changes, message) => {
    expect((await failureOf(sourceOf(federationFile(source, changes)))).message).toMatch(message);
  });
});

test.each([
  ["CLOUDSDK_AUTH_TOKEN_HOST", keyFile()],
  ["CLOUDSDK_API_ENDPOINT_OVERRIDES_STS", federationFile({ file: subjectFile })],
])("%s that is not a URL is named", async (name, text) => {
  const { message } = await failureOf(sourceOf(text, { ...cloud.variables, [name]: "localhost:8080" }));
  expect(message).toBe(`${name} must be an http:// or https:// address`);
});

describe("the metadata server", () => {
  test("gives the access token of the machine", async () => {
    await expectValid(sourceOf({}), /^the metadata server at http:\/\/127\.0\.0\.1/);
  });

  test.each([
    ["without its header", () => Response.json({ access_token: "x", expires_in: 60 }), /no Metadata-Flavor: Google/],
    [
      "without a service account",
      () => new Response("", { status: 404, headers: { "metadata-flavor": "Google" } }),
      /has no service account/,
    ],
    ["in trouble", () => flavored(googleError(503, "UNAVAILABLE", "Try again")), /status 503: UNAVAILABLE: Try again/],
  ])("%s it is not believed", async (_name, reply, message) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: reply });
    try {
      expect((await failureOf(sourceOf({}, { GCE_METADATA_HOST: `127.0.0.1:${server.port}` }))).message).toMatch(message);
    } finally {
      await server.stop(true);
    }
  });

  test("names what was looked at where there is none", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const host = `127.0.0.1:${server.port}`;
    await server.stop(true);
    expect(await failureOf(sourceOf({}, { GCE_METADATA_HOST: host }))).toMatchObject({
      reason: "unreachable",
      message: expect.stringMatching(/GOOGLE_APPLICATION_CREDENTIALS is not set.*metadata server failed/) as string,
    });
  });
});

test("the service account of the tests is the one of the doubles", () =>
  expect(JSON.parse(keyFile())).toMatchObject({ client_email: EMAIL }));

function jsonFormat(): object {
  return { type: "json", subject_token_field_name: "proof" };
}

function flavored(reply: Response): Response {
  reply.headers.set("metadata-flavor", "Google");
  return reply;
}
