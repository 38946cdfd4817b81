import { addressIn } from "../../../lib/net/ip-address.ts";
import { callCloud, type CloudAddressPolicy } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { variable, type AwsLookup, type ObtainedKeys } from "./aws-lookup.ts";
import { readKeys } from "./read-keys.ts";
import { readNamedFile } from "../read-text-file.ts";
import { tryParseObject } from "../../../lib/json/try-parse.ts";

const ECS_ORIGIN = "http://169.254.170.2";
const CONTAINER_HOSTS = new Set(["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]);

/** The role of a task in ECS, or of a pod in EKS: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
export async function fromContainer(lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
  const relative = variable(lookup, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const full = variable(lookup, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative === undefined && full === undefined) return undefined;
  const name = `AWS_CONTAINER_CREDENTIALS_${relative === undefined ? "FULL" : "RELATIVE"}_URI`;
  const url = urlOf(relative === undefined ? full! : ECS_ORIGIN + relative, name);
  const authorization = await authorizationOf(lookup);
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const reply = await callCloud({ url: url.href, headers, at: addressPolicyOf(url, name) }, lookup.signal);
  if (reply.status !== 200) {
    const reason = reply.status === 401 || reply.status === 403 ? "permission" : "rejected";
    throw new IdentityFailure(
      reason,
      `the container's credentials at ${url.host} were refused with status ${reply.status}: check its role`,
    );
  }
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = tryParseObject(reply.text) ?? {};
  const keys = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiration: Expiration };
  return { credentials: readKeys(keys, reply, lookup.clock, url.host), source: `the container's role at ${url.host}` };
}

function urlOf(text: string, name: string): URL {
  if (!URL.canParse(text)) throw new IdentityFailure("rejected", `${name} is not a URL`);
  return new URL(text);
}

/** Without encryption, credentials are accepted only from this machine. */
function addressPolicyOf(url: URL, name: string): CloudAddressPolicy {
  if (url.protocol === "https:") return "chosen";
  const isLocal = url.protocol === "http:" && (CONTAINER_HOSTS.has(url.hostname) || isLoopback(url.hostname));
  if (isLocal) return "metadata";
  throw new IdentityFailure("rejected", `${name} must be https://, or http:// at this machine or at the address of ECS or EKS`);
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost") return true;
  const address = addressIn(hostname);
  return address !== undefined && (address.startsWith("127.") || address === "::1");
}

/** The token file takes precedence, and is read each time, because EKS replaces it. */
async function authorizationOf(lookup: AwsLookup): Promise<string | undefined> {
  const path = variable(lookup, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const text =
    path === undefined
      ? variable(lookup, "AWS_CONTAINER_AUTHORIZATION_TOKEN")
      : await readNamedFile(path, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (text !== undefined && !/^[\x20-\x7e]+$/.test(text)) {
    const name = path === undefined ? "AWS_CONTAINER_AUTHORIZATION_TOKEN" : path;
    throw new IdentityFailure("rejected", `${name} is empty, or has characters that a header cannot have`);
  }
  return text;
}
