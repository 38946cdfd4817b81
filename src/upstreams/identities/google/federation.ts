import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import type { CloudClock } from "../cloud-clock.ts";
import { callCloud, toLocalMs, type CloudReply, type CloudAddressPolicy } from "../call-cloud.ts";
import { IdentityFailure, type AccessToken, toToken } from "../credential-source.ts";
import { endpointOf, SCOPE } from "./google-endpoints.ts";
import type { Federation } from "./google-file.ts";
import { objectIn, readTokenReply, refusalIn } from "./token-reply.ts";
import { AwsCredentials } from "../aws/aws-credentials.ts";
import { regionOfInstance } from "../aws/instance-metadata.ts";
import { signRequest } from "../aws/sign.ts";
import { readNamedFile } from "../read-text-file.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import { tryParseObject } from "../../../lib/json/try-parse.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const STS = "Google's Security Token Service";
const IAM = "Google's IAM credentials service";

/**
 * Exchanges the proof of another identity provider for an access token (RFC 8693), and that access token for an access token of a service
 * account.
 */
export async function federate(
  federation: Federation,
  variables: CloudVariables,
  nowMs: () => number,
  awsClock: CloudClock,
  signal: CancelSignal,
): Promise<AccessToken> {
  const isAtAws = federation.source["environment_id"] !== undefined;
  const prove = (): Promise<Secret> =>
    isAtAws ? awsSubjectToken(federation, variables, awsClock, signal) : obtainSubjectToken(federation.source, signal);
  let subjectToken = await prove();
  let reply = await exchange(federation, subjectToken, variables, signal);
  // If a proof was rejected because of a clock difference, it is signed again with the server's time.
  if (isAtAws && reply.status !== 200 && awsClock.correct(reply.serverMs)) {
    reply = await exchange(federation, (subjectToken = await prove()), variables, signal);
  }
  if (reply.status !== 200) throw refusalIn(reply, STS, subjectToken);
  const exchanged = readTokenReply(reply, STS, nowMs());
  const { impersonationUrl } = federation;
  return impersonationUrl === undefined ? exchanged : impersonate(impersonationUrl, federation, exchanged, variables, nowMs, signal);
}

function exchange(federation: Federation, subjectToken: Secret, variables: CloudVariables, signal: CancelSignal): Promise<CloudReply> {
  const { audience, subjectTokenType, tokenUrl, workforceProject, client } = federation;
  const fields = {
    grant_type: GRANT_TYPE,
    audience,
    scope: SCOPE,
    requested_token_type: ACCESS_TOKEN,
    subject_token: subjectToken.reveal(),
    subject_token_type: subjectTokenType,
    ...(workforceProject !== undefined && !client && { options: JSON.stringify({ userProject: workforceProject }) }),
  };
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    ...(client && { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret.reveal()}`).toString("base64")}` }),
  };
  const body = new URLSearchParams(fields).toString();
  return callCloud({ ...endpointOf(tokenUrl, "sts", variables), headers, body }, signal);
}

async function impersonate(
  url: string,
  { impersonationSeconds }: Federation,
  { token }: AccessToken,
  variables: CloudVariables,
  nowMs: () => number,
  signal: CancelSignal,
): Promise<AccessToken> {
  const headers = { accept: "application/json", authorization: `Bearer ${token.reveal()}` };
  const body = JSON.stringify({ scope: [SCOPE], lifetime: `${impersonationSeconds}s` });
  const reply = await callCloud({ ...endpointOf(url, "iamcredentials", variables), headers, body }, signal);
  if (reply.status !== 200) throw refusalIn(reply, IAM, token);
  const { accessToken, expireTime } = objectIn(reply, IAM);
  const expiresMs = typeof expireTime === "string" ? Date.parse(expireTime) : Number.NaN;
  if (Number.isNaN(expiresMs)) throw new IdentityFailure("rejected", `${IAM} returned no expireTime`);
  return { token: toToken(accessToken, IAM), expiresAtMs: toLocalMs(expiresMs, reply, nowMs()) };
}

/** The request that is signed for Google: this request only, and for this host only. */
const VERIFICATION_URL = /^https:\/\/sts(-fips)?\.\{region\}\.amazonaws\.com(\.cn)?\/?\?Action=GetCallerIdentity&Version=2011-06-15$/;

/** This header is signed too, so that the proof is useless for another workload identity pool. */
const TARGET_HEADER = "x-goog-cloud-target-resource";

/**
 * The proof of a workload at AWS: the request `GetCallerIdentity`, signed and not sent. Google sends this request, and AWS tells Google who
 * signed it. The credentials come from the credential chain. The credential URLs in the configuration are not called, because such files
 * are passed around. https://cloud.google.com/iam/docs/workload-identity-federation-with-other-clouds
 */
async function awsSubjectToken(
  { source, audience }: Federation,
  variables: CloudVariables,
  clock: CloudClock,
  signal: CancelSignal,
): Promise<Secret> {
  if (source["environment_id"] !== "aws1") throw wrong("environment_id", "must be aws1");
  const template = source["regional_cred_verification_url"];
  if (typeof template !== "string" || !VERIFICATION_URL.test(template)) {
    throw wrong("regional_cred_verification_url", "must be https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
  }
  const region = await regionOf(variables, signal);
  const url = template.replace("{region}", region);
  const identity = { kind: "aws", region, keys: undefined, profile: undefined, role: undefined } as const;
  const { credentials } = await new AwsCredentials(identity, variables, clock).obtain(signal);
  const { host, pathname, search } = new URL(url);
  const request = { method: "POST", host, target: pathname + search, headers: { [TARGET_HEADER]: audience }, body: undefined } as const;
  const signed = signRequest(request, credentials, { region, service: "sts", atMs: clock.nowMs() });
  const headers = Object.entries({ host, ...signed }).map(([key, value]) => ({ key, value }));
  return new Secret(encodeURIComponent(JSON.stringify({ url, method: "POST", headers })));
}

/** Checked because the region becomes a part of a host name. */
async function regionOf(variables: CloudVariables, signal: CancelSignal): Promise<string> {
  const region = (variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION)?.reveal() ?? (await regionOfInstance({ variables, signal }));
  if (/^[a-z\d-]+$/.test(region)) return region;
  throw new IdentityFailure("missing", "the region of AWS is not known: set AWS_REGION");
}

function wrong(field: string, problem: string): IdentityFailure {
  return new IdentityFailure("missing", `${field} in the credential_source of the Google credentials ${problem}`);
}

type Json = Readonly<Record<string, unknown>>;

/** The metadata service of Azure virtual machines, which Google documents as a source. */
const AZURE_METADATA = "http://169.254.169.254/metadata/identity/oauth2/token";

/**
 * Obtains the proof of the workload's identity from the `credential_source` of a configuration. The proof is read again for each exchange.
 */
async function obtainSubjectToken(source: Json, signal: CancelSignal): Promise<Secret> {
  const { file, url } = source;
  if (typeof file === "string") return inFormat(await readNamedFile(file, "the credential_source"), source["format"], `the file ${file}`);
  if (typeof url === "string") return fetchFrom(url, source, signal);
  throw new IdentityFailure("missing", `the credential_source of the Google credentials ${refusalOf(source)}`);
}

function refusalOf(source: Json): string {
  if (source["executable"] !== undefined) return "is a command, and the gateway starts no other programs. Use file or url";
  if (source["certificate"] !== undefined) return "is a certificate, which is not supported. Use file or url";
  return "has neither file nor url";
}

async function fetchFrom(url: string, source: Json, signal: CancelSignal): Promise<Secret> {
  const given = isObject(source["headers"]) ? Object.entries(source["headers"]) : [];
  const headers = Object.fromEntries(given.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const reply = await callCloud({ url, headers, at: addressPolicyOf(url) }, signal);
  const name = `the credential_source at ${new URL(url).host}`;
  if (reply.status !== 200) throw refusalIn(reply, name);
  return inFormat(reply.text, source["format"], name);
}

/**
 * The allowed addresses are public addresses, this machine, and the metadata service of Azure: a manipulated file must not direct the
 * gateway into the private network.
 */
function addressPolicyOf(url: string): CloudAddressPolicy {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new IdentityFailure("missing", "the url of credential_source is not an address");
  if (parsed.origin + parsed.pathname === AZURE_METADATA) return "metadata";
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname) ? "chosen" : "internet";
}

function inFormat(text: string, format: unknown, name: string): Secret {
  const { type = "text", subject_token_field_name: field } = isObject(format) ? format : {};
  const token = type === "json" ? fieldOf(text, field) : text.trim();
  if (typeof token !== "string" || token === "") throw new IdentityFailure("missing", `${name} has no subject token`);
  return new Secret(token);
}

function fieldOf(text: string, field: unknown): unknown {
  return typeof field === "string" ? tryParseObject(text)?.[field] : undefined;
}
