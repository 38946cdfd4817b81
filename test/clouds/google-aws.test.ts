import { afterAll, beforeEach, expect, setSystemTime, test } from "bun:test";
import { AwsClient } from "google-auth-library";
import { rmSync } from "node:fs";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { IdentityFailure } from "../../src/upstreams/identities/credential-source.ts";
import { GoogleSource } from "../../src/upstreams/identities/google/google-source.ts";
import { isRefusal } from "./aws-cloud.ts";
import { AwsWorld, REGION, USER } from "./aws-scenarios.ts";
import { AUDIENCE, AWS_TYPE, federationFile, IMPERSONATION_URL, startGoogleCloud, type GoogleCloud } from "./google-cloud.ts";

/** Tests workload identity federation of a workload at AWS: its proof is a signed request, which Google asks AWS to verify. */

interface Proof {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

const STS_URL = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15";
/**
 * A file in the form that `gcloud iam workload-identity-pools create-cred-config --aws --enable-imdsv2` writes. Its URLs are not called.
 */
const SOURCE = {
  environment_id: "aws1",
  region_url: "http://169.254.169.254/latest/meta-data/placement/availability-zone",
  url: "http://169.254.169.254/latest/meta-data/iam/security-credentials",
  regional_cred_verification_url: STS_URL,
  imdsv2_session_token_url: "http://169.254.169.254/latest/api/token",
};
const KEYS = { AWS_ACCESS_KEY_ID: USER, AWS_SECRET_ACCESS_KEY: `secret/of+${USER}` };

const world = new AwsWorld();
const google = startGoogleCloud({ problemAtAws });
const homes: string[] = [];
const callers: string[] = [];

beforeEach(() => void callers.splice(0));
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await google.stop();
  for (const home of homes) rmSync(home, { recursive: true });
});

/** The error of AWS for a proof, and the error of Google for a proof that is for another pool. */
async function problemAtAws(text: string): Promise<string | undefined> {
  const { url, method, headers } = JSON.parse(decodeURIComponent(text)) as Proof;
  const request = new Request(url, { method, headers: headers.map(({ key, value }) => [key, value] as [string, string]) });
  const isSigned = /SignedHeaders=[^,]*\bx-goog-cloud-target-resource\b/.test(request.headers.get("authorization") ?? "");
  if (url !== STS_URL.replace("{region}", REGION) || method !== "POST") return `Unexpected request: ${method} ${url}`;
  if (!isSigned || request.headers.get("x-goog-cloud-target-resource") !== AUDIENCE) return "The target resource does not match.";
  const verdict = await world.cloud.verify(request, new Uint8Array(), "sts", REGION);
  if (isRefusal(verdict)) return `Received invalid AWS response of type ${verdict.code} with error message: ${verdict.message}`;
  callers.push(verdict.owner);
  return undefined;
}

function sourceOf(
  environment: Record<string, string>,
  changes: object = {},
  at: GoogleCloud = google,
  source: object = SOURCE,
): GoogleSource {
  const made = world.environment(environment, {});
  homes.push(made["HOME"]!);
  const credentials = new Secret(federationFile(source, { subject_token_type: AWS_TYPE, ...changes }));
  const identity = { kind: "google", credentials, credentialsFile: undefined, project: undefined, location: undefined } as const;
  return new GoogleSource(identity, readCloudVariables({ ...made, ...at.variables }));
}

async function tokenOf(source: GoogleSource): Promise<string> {
  const { credentials } = await source.obtain(new Cancellation());
  return `Bearer ${credentials.token.reveal()}`;
}

test.each<[string, Record<string, string>, string]>([
  ["keys in the environment", { ...KEYS, AWS_REGION: REGION }, USER],
  ["the role of the instance, in the region of the instance", {}, "instance"],
  [
    "the role of a container",
    {
      AWS_DEFAULT_REGION: REGION,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${world.container.url}/role`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "Basic container-authorization",
    },
    "container",
  ],
])("exchanges a proof by %s, and impersonates a service account", async (_name, environment, owner) => {
  expect(google.accepts(await tokenOf(sourceOf(environment)))).toBe(true);
  const impersonating = sourceOf(environment, { service_account_impersonation_url: IMPERSONATION_URL });
  expect(google.accepts(await tokenOf(impersonating))).toBe(true);
  expect(callers).toEqual([owner, owner]);
});

test.each([10, -10])("signs again by the clock of the clouds, which is %p minutes ahead", async (minutes) => {
  const other = startGoogleCloud({ clockOffsetMs: minutes * 60_000, problemAtAws });
  world.cloud.skewMs = minutes * 60_000;
  try {
    const source = sourceOf({ ...KEYS, AWS_REGION: REGION }, {}, other);
    expect(other.accepts(await tokenOf(source))).toBe(true);
    expect(Math.round(source.clockSkewMs / 60_000)).toBe(minutes);
  } finally {
    world.cloud.skewMs = 0;
    await other.stop();
  }
});

test.each<[string, Record<string, string>, object, RegExp]>([
  ["keys that AWS refuses", { ...KEYS, AWS_SECRET_ACCESS_KEY: "wrong" }, {}, /returned status 400: invalid_grant: Received invalid AWS/],
  ["no credentials", { AWS_EC2_METADATA_DISABLED: "true" }, {}, /^no AWS credentials/],
  ["no region", { ...KEYS, AWS_REGION: "", AWS_EC2_METADATA_DISABLED: "true" }, {}, /set AWS_REGION$/],
  ["a region that is none", { ...KEYS, AWS_REGION: "thief.example/" }, {}, /set AWS_REGION$/],
  ["another version", KEYS, { environment_id: "aws2" }, /^environment_id .* must be aws1$/],
  ["another request to sign", KEYS, { regional_cred_verification_url: STS_URL.replace("sts", "iam") }, /^regional_cred_verification_url/],
  ["another host", KEYS, { regional_cred_verification_url: STS_URL.replace("amazonaws", "thief") }, /^regional_cred_verification_url/],
])("%s: says what is wrong, without the proof", async (_name, environment, changes, message) => {
  const source = sourceOf({ AWS_REGION: REGION, ...environment }, {}, google, { ...SOURCE, ...changes });
  const [outcome] = await Promise.allSettled([tokenOf(source)]);
  const failure = outcome.status === "rejected" ? (outcome.reason as IdentityFailure).message : "an access token";
  expect(failure).toMatch(message);
  expect(failure).not.toContain("AWS4-HMAC-SHA256");
});

test.each<[string, string | undefined]>([
  ["keys that do not expire", undefined],
  ["temporary keys", "session/token+of=="],
])("with %s, the proof is the same as from Google's own library, and its target is signed in addition", async (_name, sessionToken) => {
  const proofs: string[] = [];
  const recorder = startGoogleCloud({ problemAtAws: (proof) => Promise.resolve(void proofs.push(proof)) });
  const now = new Date("2026-11-17T10:20:30Z");
  try {
    setSystemTime(now);
    const token = sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken };
    await tokenOf(sourceOf({ ...KEYS, ...token, AWS_REGION: REGION }, {}, recorder));
    const supplier = {
      getAwsRegion: () => Promise.resolve(REGION),
      getAwsSecurityCredentials: () =>
        Promise.resolve({
          accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
          secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
          ...(sessionToken !== undefined && { token: sessionToken }),
        }),
    };
    const client = new AwsClient({ audience: AUDIENCE, subject_token_type: AWS_TYPE, aws_security_credentials_supplier: supplier });
    const [ours, theirs] = [proofs[0]!, await client.retrieveSubjectToken()].map(fieldsOf);
    const signed = (theirs!["authorization"] as string).replace(/(SignedHeaders=[^,]+)/, "$1;x-goog-cloud-target-resource");
    expect({ ...ours, authorization: withoutSignature(ours!["authorization"]!) }).toEqual({
      ...theirs,
      authorization: withoutSignature(signed),
    });
  } finally {
    setSystemTime();
    await recorder.stop();
  }
});

function fieldsOf(text: string): Record<string, string> {
  const { url, method, headers, ...rest } = JSON.parse(decodeURIComponent(text)) as Proof;
  return { url, method, ...rest, ...Object.fromEntries(headers.map(({ key, value }) => [key, value])) };
}

function withoutSignature(authorization: string): string {
  return authorization.replace(/Signature=[\da-f]{64}$/, "");
}
