import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { truncate } from "../../../lib/text/truncate.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import { callCloud, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, type AccessToken, type ObtainedCredentials } from "../credential-source.ts";
import { readTokenReply } from "./token-reply.ts";
import { tryParse } from "../../../lib/json/try-parse.ts";

const METADATA_ORIGIN = "http://169.254.169.254";
const METADATA_PATH = "/metadata/identity/oauth2/token";
const MAX_MESSAGE_CHARS = 500;

/** The service of this machine that issues tokens of its managed identity: the metadata service or App Service. */
interface IdentityService {
  readonly name: string;
  readonly url: URL;
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: Secret | undefined;
}

/**
 * An access token of the managed identity of this machine: the identity with this client ID, or else the identity of the machine itself.
 */
export async function fromManagedIdentity(
  variables: CloudVariables,
  { clientId, resource }: { clientId: string | undefined; resource: string },
  nowMs: () => number,
  signal: CancelSignal,
): Promise<ObtainedCredentials<AccessToken>> {
  const { name, url, version, headers, secret } = serviceOf(variables);
  url.searchParams.set("api-version", version);
  url.searchParams.set("resource", resource);
  if (clientId !== undefined) url.searchParams.set("client_id", clientId);
  const reply = await callCloud({ url: url.href, at: "metadata", headers }, signal);
  if (reply.status !== 200) throw refusalIn(reply, name, secret);
  const of = clientId === undefined ? "the managed identity of this machine" : `the managed identity ${clientId}`;
  return { credentials: readTokenReply(reply, name, nowMs()), source: `${of}, by ${name}` };
}

/** The services in the order of Microsoft's own library. */
function serviceOf(variables: CloudVariables): IdentityService {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header, MSI_ENDPOINT: legacyEndpoint } = variables;
  if (endpoint && header && variables.IDENTITY_SERVER_THUMBPRINT) throw unsupported("Service Fabric", "IDENTITY_SERVER_THUMBPRINT");
  if (endpoint && header) return appService(endpoint, header);
  if (legacyEndpoint) throw unsupported("Cloud Shell and Machine Learning", "MSI_ENDPOINT");
  if (endpoint) throw unsupported("Azure Arc", "IDENTITY_ENDPOINT without IDENTITY_HEADER");
  const origin = variables.AZURE_POD_IDENTITY_AUTHORITY_HOST?.reveal() ?? METADATA_ORIGIN;
  return {
    name: "the metadata service",
    url: toUrl(`${origin.replace(/\/+$/, "")}${METADATA_PATH}`, "AZURE_POD_IDENTITY_AUTHORITY_HOST"),
    version: "2018-02-01",
    headers: { metadata: "true" },
    secret: undefined,
  };
}

/** Also Functions and Container Apps: https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference */
function appService(endpoint: Secret, header: Secret): IdentityService {
  return {
    name: "App Service",
    url: toUrl(endpoint.reveal(), "IDENTITY_ENDPOINT"),
    version: "2019-08-01",
    headers: { "x-identity-header": header.reveal() },
    secret: header,
  };
}

function toUrl(text: string, variable: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new IdentityFailure("rejected", `${variable} is not a URL`);
  return url;
}

function unsupported(place: string, variable: string): IdentityFailure {
  const instead = "Use a client secret, a certificate or workload identity.";
  return new IdentityFailure("rejected", `the managed identities of ${place} (${variable} is set) are not supported. ${instead}`);
}

function refusalIn(reply: CloudReply, name: string, secret: Secret | undefined): IdentityFailure {
  const { status } = reply;
  const said = descriptionIn(tryParse(reply.text));
  const message = `${name} returned status ${status}: ${truncate(secret?.redactFrom(said) ?? said, MAX_MESSAGE_CHARS)}`;
  if (status === 400 && /\bidentity\b.*\bfound\b/i.test(said)) {
    return new IdentityFailure("missing", `${message} Assign a managed identity to this machine, or check client_id.`);
  }
  // The metadata service returns 410 while it is updated, and 404 before it is ready.
  const isTransient = status === 404 || status === 410 || status === 429 || status >= 500;
  return new IdentityFailure(isTransient ? "unreachable" : "rejected", message);
}

function descriptionIn(body: unknown): string {
  const { error_description: description, message, error } = isObject(body) ? body : {};
  const said = [description, message, error].find((part) => typeof part === "string" && part !== "");
  return typeof said === "string" ? said.replace(/\.?\s*$/, ".") : "no reason given.";
}
