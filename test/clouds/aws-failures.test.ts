import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { AwsIdentity } from "../../src/models/identities/identity.ts";
import { CloudClock } from "../../src/upstreams/identities/cloud-clock.ts";
import { AwsCredentials } from "../../src/upstreams/identities/aws/aws-credentials.ts";
import { IdentityFailure, type IdentityFailureReason } from "../../src/upstreams/identities/credential-source.ts";
import { AwsWorld, EXTERNAL_ID, REGION, roleArn, USER } from "./aws-scenarios.ts";
import { startInstanceMetadata } from "./metadata-servers.ts";
import { SSO_ACCOUNT, SSO_ROLE } from "./sso-server.ts";

const world = new AwsWorld();
const homes: string[] = [];
/** Servers that only the tests of failures need. */
const withoutRole = startInstanceMetadata(world.cloud, false);
const versionOne = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("no", { status: 405 }) });
const timeless = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    new Response(
      "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>Signature expired: a is now earlier than b</Message></Error></ErrorResponse>",
      {
        status: 403,
        headers: { date: "now" },
      },
    ),
});
const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
await gone.stop(true);
const NOWHERE = `http://127.0.0.1:${gone.port}`;

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await withoutRole[Symbol.asyncDispose]();
  await versionOne.stop(true);
  await timeless.stop(true);
  for (const home of homes) rmSync(home, { recursive: true });
});

const OF_MACHINE: AwsIdentity = { kind: "aws", region: REGION, keys: undefined, profile: undefined, role: undefined };
const SECRET = `secret/of+${USER}`;
const KEYS = { accessKeyId: USER, secretAccessKey: new Secret(SECRET), sessionToken: undefined };
const role = (name: string, externalId?: string): AwsIdentity["role"] => ({
  arn: roleArn(name),
  externalId: externalId === undefined ? undefined : new Secret(externalId),
  sessionName: undefined,
});
const config = (text: string): Record<string, string> => ({ ".aws/config": text });
const KEYS_IN_FILE = `aws_access_key_id = ${USER}\naws_secret_access_key = ${SECRET}\n`;
const SSO = `[default]\nsso_session = corp\nsso_account_id = ${SSO_ACCOUNT}\nsso_role_name = ${SSO_ROLE}\n`;
const SESSION = "[sso-session corp]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = us-east-1\n";

interface Case {
  readonly name: string;
  readonly identity?: Partial<AwsIdentity>;
  readonly variables?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly reason: IdentityFailureReason;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "nothing anywhere",
    variables: { AWS_EC2_METADATA_SERVICE_ENDPOINT: NOWHERE },
    reason: "missing",
    says: /AWS_ACCESS_KEY_ID.*\.aws\/config and .*\.aws\/credentials.*default.*AWS_WEB_IDENTITY_TOKEN_FILE.*AWS_CONTAINER.*cannot be reached/,
  },
  {
    name: "half of an access key",
    variables: { AWS_ACCESS_KEY_ID: "AKIAHALF", AWS_EC2_METADATA_DISABLED: "true" },
    reason: "missing",
    says: /AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY/,
  },
  { name: "metadata disabled", variables: { AWS_EC2_METADATA_DISABLED: "true" }, reason: "missing", says: /AWS_EC2_METADATA_DISABLED/ },
  {
    name: "an instance without a role",
    variables: { AWS_EC2_METADATA_SERVICE_ENDPOINT: withoutRole.url },
    reason: "missing",
    says: /instance profile/,
  },
  {
    name: "an instance without IMDSv2",
    variables: { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${versionOne.port}` },
    reason: "rejected",
    says: /IMDSv2.*405/,
  },
  {
    name: "a metadata endpoint that is not a URL",
    variables: { AWS_EC2_METADATA_SERVICE_ENDPOINT: "169.254.169.254" },
    reason: "rejected",
    says: /ENDPOINT is not a URL/,
  },
  {
    name: "an endpoint of STS that is not a URL",
    identity: { keys: KEYS, role: role("open") },
    variables: { AWS_ENDPOINT_URL_STS: "sts.example:443" },
    reason: "rejected",
    says: /^AWS_ENDPOINT_URL_STS is not a URL/,
  },
  {
    name: "an endpoint of SSO that is not a URL",
    files: { ...config(SSO + SESSION), ...world.ssoCache("corp", 3_600_000) },
    variables: { AWS_ENDPOINT_URL_SSO: "portal" },
    reason: "rejected",
    says: /^AWS_ENDPOINT_URL_SSO is not a URL/,
  },
  {
    name: "an endpoint of SSO sessions that is not a URL",
    files: { ...config(SSO + SESSION), ...world.ssoCache("corp", -1000) },
    variables: { AWS_ENDPOINT_URL_SSO_OIDC: "https:" },
    reason: "rejected",
    says: /^AWS_ENDPOINT_URL_SSO_OIDC is not a URL/,
  },
  {
    name: "a named profile that is missing",
    identity: { profile: "prod" },
    reason: "missing",
    says: /the profile prod has no credentials in/,
  },
  {
    name: "a profile with a second factor",
    files: config(
      `[default]\nrole_arn = ${roleArn("open")}\nsource_profile = default\nmfa_serial = arn:aws:iam::1:mfa/me\n${KEYS_IN_FILE}`,
    ),
    reason: "rejected",
    says: /mfa_serial/,
  },
  {
    name: "a profile with a program",
    files: config("[default]\ncredential_process = /bin/keys\n"),
    reason: "rejected",
    says: /credential_process: the gateway starts no other programs/,
  },
  {
    name: "profiles in a circle",
    files: config(
      `[default]\nrole_arn = ${roleArn("open")}\nsource_profile = b\n[profile b]\nrole_arn = ${roleArn("open")}\nsource_profile = default\n`,
    ),
    reason: "rejected",
    says: /b, default name each other/,
  },
  {
    name: "an unknown credential_source",
    files: config(`[default]\nrole_arn = ${roleArn("open")}\ncredential_source = Magic\n`),
    reason: "rejected",
    says: /Magic.*Environment, EcsContainer, Ec2InstanceMetadata/,
  },
  {
    name: "a role that may not be assumed",
    identity: { keys: KEYS, role: role("second") },
    reason: "permission",
    says: /sts:AssumeRole on arn:aws:iam::123456789012:role\/second is not permitted/,
  },
  {
    name: "a wrong external id",
    identity: { keys: KEYS, role: role("guarded", "wrong-external-id") },
    reason: "permission",
    says: /sts:AssumeRole/,
  },
  {
    name: "keys of nobody",
    identity: { keys: { ...KEYS, accessKeyId: "AKIANOBODY0000000000" }, role: role("open") },
    reason: "rejected",
    says: /InvalidClientTokenId/,
  },
  {
    name: "a wrong secret",
    identity: { keys: { ...KEYS, secretAccessKey: new Secret("wrong-secret-access-key") }, role: role("open") },
    reason: "rejected",
    says: /SignatureDoesNotMatch/,
  },
  {
    name: "a clock that nobody can correct",
    identity: { keys: KEYS, role: role("open") },
    variables: { AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${timeless.port}` },
    reason: "clock_skew",
    says: /the clock of this machine/,
  },
  {
    name: "STS is away",
    identity: { keys: KEYS, role: role("open") },
    variables: { AWS_ENDPOINT_URL_STS: NOWHERE },
    reason: "unreachable",
    says: /cannot be reached/,
  },
  {
    name: "a web identity that has expired",
    variables: { AWS_ROLE_ARN: roleArn("pod"), AWS_WEB_IDENTITY_TOKEN_FILE: "~/web-identity" },
    files: { "web-identity": "an.expired.web-identity" },
    reason: "expired",
    says: /web-identity \(AWS_WEB_IDENTITY_TOKEN_FILE\) has expired: check that the file is replaced/,
  },
  {
    name: "a web identity whose file is missing",
    variables: { AWS_ROLE_ARN: roleArn("pod"), AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere/web-identity" },
    reason: "missing",
    says: /\/nowhere\/web-identity does not exist: AWS_WEB_IDENTITY_TOKEN_FILE names it/,
  },
  {
    name: "no SSO session",
    files: config(SSO + SESSION),
    reason: "missing",
    says: /no SSO session in .*\.json: run aws sso login --profile default/,
  },
  { name: "an unknown SSO session", files: config(SSO), reason: "rejected", says: /\[sso-session corp\] needs sso_start_url/ },
  {
    name: "an SSO session that has expired and cannot be refreshed",
    files: { ...config(SSO + SESSION), ...withoutRefresh(world.ssoCache("corp", -1000)) },
    reason: "expired",
    says: /has expired: run aws sso login/,
  },
  {
    name: "a role that SSO does not assign",
    files: { ...config(SSO.replace(SSO_ROLE, "Admin") + SESSION), ...world.ssoCache("corp", 3_600_000) },
    reason: "permission",
    says: /the role Admin in account 123456789012/,
  },
  {
    name: "a container's wrong authorization",
    variables: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${world.container.url}/role`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "wrong-authorization",
    },
    reason: "permission",
    says: /refused with status 401/,
  },
  ...["http://10.0.0.1/role", "http://example.com/role", "http://169.254.169.254/role", "ftp://127.0.0.1/role"].map((url) => ({
    name: `container credentials at ${url}`,
    variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: url },
    reason: "rejected" as const,
    says: /AWS_CONTAINER_CREDENTIALS_FULL_URI must be https/,
  })),
  {
    name: "container credentials at another host",
    variables: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "@10.0.0.1/role" },
    reason: "rejected",
    says: /AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be https/,
  },
];

function withoutRefresh(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replace("refreshToken", "none")]));
}

const SECRETS = [
  SECRET,
  EXTERNAL_ID,
  "wrong-external-id",
  "wrong-secret-access-key",
  "an.expired.web-identity",
  "wrong-authorization",
  "access-",
  "refresh-",
];

test.each(CASES)("$name", async ({ identity, variables = {}, files = {}, reason, says }) => {
  const environment = world.environment(variables, files);
  homes.push(environment["HOME"]!);
  const credentials = new AwsCredentials({ ...OF_MACHINE, ...identity }, readCloudVariables(environment), new CloudClock());
  const [outcome] = await Promise.allSettled([credentials.obtain(new Cancellation())]);
  const failure = (outcome.status === "rejected" && outcome.reason) as IdentityFailure;
  expect(failure).toBeInstanceOf(IdentityFailure);
  expect([failure.reason, failure.message]).toEqual([reason, expect.stringMatching(says)]);
  for (const secret of SECRETS) expect(failure.message).not.toContain(secret);
});
