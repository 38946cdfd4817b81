import { isObject, type Fail } from "../../../lib/schema/schema.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { BEDROCK_HOST } from "../../../models/identities/aws-partitions.ts";
import { GOOGLE_TOKEN_URL } from "../../../models/identities/google-token-url.ts";
import { isOfMachine, type Identity } from "../../../models/identities/identity.ts";
import { identityOf, type RemoteSettings, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import { refuseField } from "../fields/refuse-field.ts";

/** The hosts of each cloud. Signatures and access tokens of an operator's upstream go to no others. */
const HOSTS: Readonly<Record<Identity["kind"], RegExp>> = {
  aws: BEDROCK_HOST,
  google: /\.googleapis\.com$/,
  azure: /\.((openai|cognitiveservices)\.azure\.(com|us|cn)|services\.ai\.azure\.com)$/,
};

const SECRETS: Readonly<Record<Identity["kind"], string>> = {
  aws: "aws.access_key_id and aws.secret_access_key",
  google: "google.credentials",
  azure: "azure.client_secret or azure.certificate",
};

/**
 * Rejects an identity that the API may not set. Permission to write upstreams must not become permission to act as the machine, to read its files,
 * or to receive what an identity signs: that is left to tollgate.yaml, whose author controls the machine anyway.
 */
export function refuseIdentity(upstream: UpstreamSettings): void {
  const identity = identityOf(upstream);
  if (!identity) return;
  const fail: Fail = (path, message) => refuseField([identity.kind, ...path], message);
  if (identity.kind === "aws" && identity.profile !== undefined) fail(["profile"], "is only allowed in tollgate.yaml");
  if (identity.kind === "google" && identity.credentialsFile !== undefined)
    fail(["credentials_file"], "is only allowed in tollgate.yaml: give google.credentials");
  if (identity.kind === "google" && identity.credentials) refuseConfiguration(identity.credentials, fail);
  if (isOfMachine(identity)) fail([], `needs ${SECRETS[identity.kind]}: the identity of the machine is only allowed in tollgate.yaml`);
  refuseHost(upstream as RemoteSettings, identity);
}

function refuseHost({ baseUrl }: RemoteSettings, { kind }: Identity): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== "https:") refuseField(["base_url"], `must be https:// with ${kind}`);
  // A name may end with a dot.
  if (HOSTS[kind].test(hostname.replace(/\.$/, ""))) return;
  refuseField(["base_url"], `is not a host of the cloud ${kind}: private endpoints are only allowed in tollgate.yaml`);
}

/** A configuration of workload identity federation names files of this machine, commands and addresses. */
function refuseConfiguration(credentials: Secret, fail: Fail): void {
  const parsed = parse(credentials.reveal());
  if (!isObject(parsed) || parsed["type"] !== "service_account") {
    return fail(["credentials"], "must be the JSON key of a service account: other credentials are only allowed in tollgate.yaml");
  }
  // It would not be called: a key of another endpoint cannot work.
  if (parsed["token_uri"] !== undefined && parsed["token_uri"] !== GOOGLE_TOKEN_URL)
    fail(["credentials"], `must have the token_uri ${GOOGLE_TOKEN_URL}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
