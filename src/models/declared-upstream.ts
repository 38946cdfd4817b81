import type { Fail, Schema } from "../lib/schema/schema.ts";
import { type SecretHeaders, headersSchema, namesOfHeaders, type DeclaredHeaders } from "./headers/secret-headers.ts";
import {
  type Dialect,
  credentialsOf,
  DEFAULT_CONCURRENCY,
  DIALECTS,
  identityOf,
  type Concurrency,
  type RemoteSettings,
  type UpstreamSettings,
} from "./upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "./timeouts.ts";
import type { Infer } from "../lib/schema/infer.ts";
import { problemOfBaseUrl } from "./base-url.ts";
import { MODEL_ID } from "./model-id.ts";
import { declaredTimeoutsSchema, fromTimeouts, toTimeouts } from "./timeouts.ts";
import { awsDomain } from "./identities/aws-partitions.ts";
import { credentialSchema, fromIdentity, identitySchemas, toIdentity } from "./identities/declared-identity.ts";
import type { Identity, AwsIdentity, AzureIdentity, GoogleIdentity } from "./identities/identity.ts";
import { refuseMismatchedLocation } from "./identities/refuse-mismatched-location.ts";
import { vertexAddress } from "./identities/vertex-address.ts";
import { toUpstreamHeaders } from "./headers/own-headers.ts";
import { unknownParametersSchema } from "./parameters/parameter-policy.ts";
import { plainTextSchema } from "../lib/schema/plain-text.ts";
import { baseUrlOf, dialectsOf, PRESET_IDS, presetAt, presetOf, type PresetId } from "./presets.ts";
import { Secret } from "../lib/secret/secret.ts";
import { RESPONSE_CACHE } from "../money/ledger-entry.ts";

/** OpenAI's organization or project that requests are billed to. */
const billedPartSchema = {
  type: "string",
  maxLength: 200,
  pattern: "^[!-~]+$",
  patternInWords: "ASCII without spaces",
} as const satisfies Schema;

/** Other API formats have no such headers. */
function refuseBilledPart(
  declared: { readonly organization?: string; readonly project?: string },
  dialect: Dialect,
  headers: SecretHeaders | undefined,
  fail: Fail,
): void {
  for (const field of ["organization", "project"] as const) {
    if (declared[field] === undefined) continue;
    if (dialect !== "openai" && dialect !== "responses") fail([field], "is allowed only with the dialects openai and responses");
    if (headers?.[`openai-${field}`]) fail([field], `cannot be combined with the header openai-${field}: set only one of them`);
  }
}

export const idSchema = {
  type: "string",
  maxLength: 200,
  pattern: MODEL_ID,
  patternInWords: "ASCII without spaces and *, and more than dots",
} as const satisfies Schema;

export const MAX_CREDENTIALS = 100;

/** A value of the wrong type in this field is still treated as a secret. */
export const credentialsSchema = {
  type: "array",
  minItems: 1,
  maxItems: MAX_CREDENTIALS,
  items: credentialSchema,
  isSecret: true,
} as const satisfies Schema;

const apiVersionSchema = {
  type: "string",
  pattern: "^(\\d{4}-\\d{2}-\\d{2}(-preview)?|latest|preview)$",
  patternInWords: "a version of the API of Azure, such as 2024-10-21 or preview",
} as const satisfies Schema;

const concurrencySchema = {
  title: "ConcurrencyInput",
  type: "object",
  form: "{ max_calls: 100 }",
  additionalProperties: false,
  properties: {
    max_calls: { type: "integer", minimum: 1, maximum: 60_000 },
    max_queued: { type: "integer", minimum: 0, maximum: 60_000 },
    max_wait_ms: { type: "integer", minimum: 1, maximum: 600_000 },
  },
} as const satisfies Schema;

/** An upstream in a config file or a request. */
export const declaredUpstreamSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: {
    id: idSchema,
    preset: { type: "string", enum: PRESET_IDS },
    dialect: { type: "string", enum: DIALECTS },
    base_url: plainTextSchema,
    api_version: apiVersionSchema,
    allow_private: { type: "boolean" },
    credential: credentialSchema,
    credentials: credentialsSchema,
    ...identitySchemas,
    timeouts: declaredTimeoutsSchema,
    concurrency: concurrencySchema,
    unknown_parameters: unknownParametersSchema,
    headers: headersSchema,
    organization: billedPartSchema,
    project: billedPartSchema,
  },
} as const satisfies Schema;

type UpstreamInFile = Infer<typeof declaredUpstreamSchema>;

type DeclaredConcurrency = NonNullable<UpstreamInFile["concurrency"]>;

/** An upstream as declared. Headers that were parsed earlier are secrets. */
export type DeclaredUpstream = Omit<UpstreamInFile, "headers"> & { readonly headers?: DeclaredHeaders };

/** The parsed declaration. */
export function toUpstream(declared: DeclaredUpstream, fail: Fail): UpstreamSettings {
  if (declared.id === RESPONSE_CACHE) fail(["id"], "is reserved for cached responses: choose another");
  const preset = declared.preset && presetOf(declared.preset);
  const dialect = declared.dialect ?? preset?.dialect ?? fail(["dialect"], `is required without a preset: one of ${DIALECTS.join(", ")}`);
  const spoken: readonly Dialect[] | undefined = preset && dialectsOf(preset);
  if (spoken && !spoken.includes(dialect))
    fail(["dialect"], `differs from the API format of the preset ${declared.preset}, which speaks ${spoken.join(" and ")}`);
  if (dialect === "echo") return toEcho(declared, fail);
  const allowPrivate = declared.allow_private ?? preset?.isLocal ?? false;
  const identity = toIdentity(declared, fail);
  if (identity && (declared.credential ?? declared.credentials) !== undefined) {
    fail(
      [identity.kind],
      `cannot be combined with ${declared.credential === undefined ? "credentials" : "credential"}: set only one of them`,
    );
  }
  const baseUrl = withUsualPath(toBaseUrl(declared, dialect, allowPrivate, fail), dialect);
  const presetId = declared.preset ?? presetAt(baseUrl, dialect);
  if (identity) refuseIdentityAt(identity, presetId, baseUrl, fail);
  const apiVersion = toApiVersion(declared.api_version, presetId, fail);
  const headers = toUpstreamHeaders(declared.headers, { dialect, preset: presetId }, fail);
  refuseBilledPart(declared, dialect, headers, fail);
  const { organization, project } = declared;
  return {
    id: declared.id,
    dialect,
    preset: presetId,
    baseUrl,
    ...(apiVersion !== undefined && { apiVersion }),
    allowPrivate,
    credentials: toCredentials(declared, fail),
    ...(identity && { identity }),
    timeouts: { ...DEFAULT_TIMEOUTS, ...toTimeouts(declared.timeouts) },
    concurrency: toConcurrency(declared.concurrency),
    unknownParameters: declared.unknown_parameters,
    ...(headers && { headers }),
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
  };
}

function refuseIdentityAt(identity: Identity, preset: PresetId | undefined, baseUrl: string, fail: Fail): void {
  if (preset && presetOf(preset).identity !== identity.kind) {
    const own = PRESET_IDS.filter((id) => presetOf(id).identity === identity.kind);
    fail([identity.kind], `cannot be combined with the preset ${preset}: it is for ${own.join(", ")}`);
  }
  refuseMismatchedLocation(identity, baseUrl, fail);
}

/** The inverse of `toUpstream`, without credentials and headers: secrets are neither returned nor stored in plaintext. */
export function fromUpstream(settings: UpstreamSettings): DeclaredUpstream & Pick<UpstreamSettings, "dialect"> {
  if (settings.dialect === "echo") return { id: settings.id, dialect: "echo" };
  const {
    id,
    dialect,
    preset,
    baseUrl,
    apiVersion,
    allowPrivate,
    timeouts,
    concurrency,
    unknownParameters,
    identity,
    organization,
    project,
  } = settings;
  return {
    id,
    ...(preset !== undefined && { preset }),
    dialect,
    base_url: baseUrl,
    ...(apiVersion !== undefined && { api_version: apiVersion }),
    allow_private: allowPrivate,
    timeouts: fromTimeouts(timeouts),
    concurrency: fromConcurrency(concurrency),
    ...(unknownParameters !== undefined && { unknown_parameters: unknownParameters }),
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    ...(identity && fromIdentity(identity)),
  };
}

function fromConcurrency({ maxCalls, maxQueued, maxWaitMs }: Concurrency) {
  return { max_calls: maxCalls, max_queued: maxQueued, max_wait_ms: maxWaitMs };
}

/** The settings of an upstream, as the audit log compares them. */
export function describeUpstream(upstream: UpstreamSettings) {
  const {
    id,
    dialect,
    preset = null,
    base_url = null,
    api_version = null,
    allow_private = false,
    unknown_parameters = null,
    organization = null,
    project = null,
  } = fromUpstream(upstream);
  const isRemote = upstream.dialect !== "echo";
  const timeouts = isRemote ? fromTimeouts(upstream.timeouts) : null;
  const concurrency = isRemote ? fromConcurrency(upstream.concurrency) : null;
  const credentials = credentialsOf(upstream).map((credential) => ({ last4: credential.lastFour() }));
  const settings = { id, preset, dialect, base_url, api_version, allow_private, timeouts, concurrency, unknown_parameters, credentials };
  const sent = { headers: namesOfHeaders(upstream.headers), organization, project };
  return { ...settings, ...sent, ...describeIdentity(identityOf(upstream)) };
}

/** The same for new credentials or a new identity, because the last characters alone might not show the change. */
export function describeWithNewCredentials(upstream: UpstreamSettings) {
  const described = describeUpstream(upstream);
  const credentials = described["credentials"] as object[];
  const kind = identityOf(upstream)?.kind;
  return {
    ...described,
    credentials: credentials.map((each) => ({ ...each, replaced: true })),
    ...(kind && { [kind]: { ...(described[kind] as object), replaced: true } }),
  };
}

/** The echo runs in this process and has no URL. An unused credential is an error: it was meant for another upstream. */
function toEcho(declared: DeclaredUpstream, fail: Fail): UpstreamSettings {
  const extra = Object.keys(declared).find((field) => field !== "id" && field !== "dialect");
  return extra === undefined ? { id: declared.id, dialect: "echo" } : fail([extra], "cannot be combined with the dialect echo");
}

/** The declared base URL, or the preset's base URL. At AWS it has the region of the identity, at Google Cloud its project and location. */
export function declaredAddress(
  declared: Pick<DeclaredUpstream, "base_url" | "preset" | "dialect" | "aws" | "google">,
): string | undefined {
  const { base_url: baseUrl, preset = declared.dialect === "bedrock" ? "bedrock-converse" : undefined, aws, google } = declared;
  if (baseUrl !== undefined || preset === undefined) return baseUrl;
  const own = presetOf(preset);
  return baseUrlOf(own) ?? (aws && inRegion(own.baseUrl, aws.region)) ?? (google && vertexAddress(own.baseUrl, google));
}

/** China and some other partitions have their own domains. */
function inRegion(baseUrl: string, region: string): string | undefined {
  return baseUrl.includes("{region}") ? baseUrl.replace("{region}.amazonaws.com", `${region}.${awsDomain(region)}`) : undefined;
}

function toBaseUrl(declared: DeclaredUpstream, dialect: Dialect, allowPrivate: boolean, fail: Fail): string {
  const text = declaredAddress(declared);
  if (text === undefined) {
    const own = declared.preset && presetOf(declared.preset).baseUrl;
    const instead = own?.includes("{project}") ? ", or google.project and google.location" : "";
    return fail(["base_url"], own ? `is required with the preset ${declared.preset}: ${own}${instead}` : "is required without a preset");
  }
  const problem = problemOfBaseUrl(text, allowPrivate, dialect);
  return problem === undefined ? text : fail(["base_url"], problem);
}

function toApiVersion(version: string | undefined, preset: PresetId | undefined, fail: Fail): string | undefined {
  if (version === undefined) return undefined;
  const versions = preset && presetOf(preset).quirks?.apiVersions;
  if (!versions) return fail(["api_version"], "is allowed only with the presets azure and azure-deployments");
  return versions.pattern.test(version) ? version : fail(["api_version"], `must be ${versions.patternInWords} with the preset ${preset}`);
}

/** The standard path of these formats. Many people configure the host only, as the providers' own clients expect. */
const USUAL_PATHS: Partial<Record<Dialect, string>> = { anthropic: "/v1", gemini: "/v1beta" };

function withUsualPath(baseUrl: string, dialect: Dialect): string {
  const path = USUAL_PATHS[dialect];
  return path !== undefined && new URL(baseUrl).pathname === "/" ? baseUrl.replace(/\/?$/, path) : baseUrl;
}

/** Parses `credential` or `credentials`: exactly one of the two may be set. */
export function toCredentials(
  { credential, credentials }: Pick<DeclaredUpstream, "credential" | "credentials">,
  fail: Fail,
): readonly Secret[] {
  if (credential !== undefined && credentials !== undefined)
    fail(["credentials"], "cannot be combined with credential: set only one of them");
  const all = credentials ?? (credential === undefined ? [] : [credential]);
  const repeated = all.findIndex((each, at) => all.indexOf(each) !== at);
  if (repeated >= 0) fail(["credentials", repeated], "is the same as one before it");
  return all.map((each) => new Secret(each));
}

function toConcurrency(declared: DeclaredConcurrency = {}): Concurrency {
  return {
    maxCalls: declared.max_calls ?? DEFAULT_CONCURRENCY.maxCalls,
    maxQueued: declared.max_queued ?? DEFAULT_CONCURRENCY.maxQueued,
    maxWaitMs: declared.max_wait_ms ?? DEFAULT_CONCURRENCY.maxWaitMs,
  };
}

/** An upstream with defaults for everything but its URL. */
export function remoteAt(
  id: string,
  preset: PresetId | undefined,
  place: { baseUrl: string; allowPrivate: boolean },
  credentials: readonly Secret[],
): RemoteSettings {
  const dialect = preset === undefined ? "openai" : presetOf(preset).dialect;
  const usual = { timeouts: DEFAULT_TIMEOUTS, concurrency: DEFAULT_CONCURRENCY, unknownParameters: undefined };
  return { id, preset, dialect, ...place, credentials, ...usual };
}

/** An identity as shown to operators, without its secrets. */
function describeIdentity(identity: Identity | undefined) {
  return {
    aws: identity?.kind === "aws" ? describeAws(identity) : null,
    google: identity?.kind === "google" ? describeGoogle(identity) : null,
    azure: identity?.kind === "azure" ? describeAzure(identity) : null,
  };
}

function describeAws({ region, keys, profile, role }: AwsIdentity) {
  return {
    region,
    profile: profile ?? null,
    access_key_id: keys?.accessKeyId ?? null,
    has_session_token: keys?.sessionToken !== undefined,
    role_arn: role?.arn ?? null,
    role_session_name: role?.sessionName ?? null,
    has_external_id: role?.externalId !== undefined,
  };
}

function describeGoogle({ project, location, credentials, credentialsFile }: GoogleIdentity) {
  return {
    project: project ?? null,
    location: location ?? null,
    credentials_file: credentialsFile ?? null,
    has_credentials: credentials !== undefined,
  };
}

function describeAzure({ tenantId, clientId, clientSecret, certificate, cloud }: AzureIdentity) {
  return {
    tenant_id: tenantId ?? null,
    client_id: clientId ?? null,
    cloud,
    has_client_secret: clientSecret !== undefined,
    has_certificate: certificate !== undefined,
  };
}
