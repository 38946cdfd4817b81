import { perTimeout, TIMEOUTS_WITH_DEFAULT } from "../../models/timeouts.ts";
import { type UpstreamSettings, DIALECTS, identityOf, type RemoteSettings, credentialsOf } from "../../models/upstream-settings.ts";
import type { Platform } from "../platform.ts";
import { refuseManagedElsewhere, unknownId, timeSchema, managedBySchema, refuseField } from "./fields.ts";
import {
  declaredUpstreamSchema,
  describeUpstream,
  toUpstream,
  describeWithNewCredentials,
  declaredAddress,
  fromUpstream,
  type DeclaredUpstream,
  MAX_CREDENTIALS,
  credentialsSchema,
  toCredentials,
} from "../../models/declared-upstream.ts";
import { allNullable, nullable, type Infer } from "../../lib/schema/infer.ts";
import { nullableHeaders } from "./model-fields.ts";
import { type Schema, isObject, type Fail } from "../../lib/schema/schema.ts";
import type { IdentityState } from "../../models/upstream-health.ts";
import { AZURE_CLOUDS, isOfMachine, type Identity } from "../../models/identities/identity.ts";
import { servedBy } from "../../models/catalog.ts";
import { unknownParametersSchema } from "../../models/parameters/parameter-policy.ts";
import { PRESET_IDS, presetAt } from "../../models/presets.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { BEDROCK_HOST } from "../../models/identities/aws-partitions.ts";
import { GOOGLE_TOKEN_URL } from "../../models/identities/google-token-url.ts";
import { operators } from "../../access/access.ts";
import { modelWithHeadersTo, changeHeaders } from "../../models/headers/route-headers.ts";
import { withoutNulls } from "../../lib/schema/without-nulls.ts";
import { ApiError } from "../../requests/api-error.ts";
import { operation, type Operation } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import { namesOfHeaders } from "../../models/headers/secret-headers.ts";
import { summarizeList } from "../../lib/text/summarize-list.ts";
import { tryParse } from "../../lib/json/try-parse.ts";
import { credentialSchema } from "../../models/identities/declared-identity.ts";

export function findUpstream(id: string, { catalog }: Platform): UpstreamSettings {
  const upstream = catalog.upstreams().get(id);
  if (upstream) return upstream;
  throw unknownId("unknown_upstream", "upstream", id);
}

/** An upstream that operators may change through the API. */
function findOwnUpstream(id: string, platform: Platform): UpstreamSettings {
  const upstream = findUpstream(id, platform);
  refuseManagedElsewhere("upstream", id, platform.catalog.originOfUpstream(id), platform);
  return upstream;
}

const { properties } = declaredUpstreamSchema;

/** The fields for creating and changing an upstream. Null means none. */
const upstreamFields = {
  ...properties,
  api_version: nullable(properties.api_version),
  timeouts: { ...properties.timeouts, title: "UpstreamTimeoutsInput", properties: allNullable(properties.timeouts.properties) },
  unknown_parameters: nullable(properties.unknown_parameters),
  headers: nullableHeaders(properties.headers),
  organization: nullable(properties.organization),
  project: nullable(properties.project),
} as const satisfies Record<string, Schema>;

const nullableText = { type: "string", nullable: true } as const satisfies Schema;
const flag = { type: "boolean" } as const satisfies Schema;

/** The identity of an upstream at a cloud, by its kind. Secrets are not shown, only whether they are set. */
const identityViews = {
  aws: {
    title: "AwsIdentityOrNull",
    description: "The identity at AWS. Without an access key, the identity of the machine or of the profile is used.",
    type: "object",
    nullable: true,
    required: ["region", "profile", "access_key_id", "has_session_token", "role_arn", "role_session_name", "has_external_id"],
    properties: {
      region: { type: "string" },
      profile: nullableText,
      access_key_id: nullableText,
      has_session_token: flag,
      role_arn: nullableText,
      role_session_name: nullableText,
      has_external_id: flag,
    },
  },
  google: {
    title: "GoogleIdentityOrNull",
    description: "The identity at Google Cloud. Without credentials, the identity of the machine is used.",
    type: "object",
    nullable: true,
    required: ["project", "location", "credentials_file", "has_credentials"],
    properties: { project: nullableText, location: nullableText, credentials_file: nullableText, has_credentials: flag },
  },
  azure: {
    title: "AzureIdentityOrNull",
    description: "The identity at Microsoft Entra ID. Without a client secret or a certificate, the identity of the machine is used.",
    type: "object",
    nullable: true,
    required: ["tenant_id", "client_id", "cloud", "has_client_secret", "has_certificate"],
    properties: {
      tenant_id: nullableText,
      client_id: nullableText,
      cloud: { type: "string", enum: AZURE_CLOUDS },
      has_client_secret: flag,
      has_certificate: flag,
    },
  },
} satisfies Record<string, Schema>;

/** The state of an identity's credentials. */
export const identityHealthSchema = {
  title: "IdentityHealthOrNull",
  type: "object",
  nullable: true,
  description: "The identity at a cloud; null for an upstream without one.",
  required: ["source", "expires_at", "failure", "refresh_failures", "clock_skew_ms"],
  properties: {
    source: { type: "string", nullable: true, description: "Where the credentials come from; null until they were found." },
    expires_at: { ...timeSchema, nullable: true, description: "When the credentials expire; null if they do not, or there are none." },
    failure: { type: "string", nullable: true, description: "Why they could not be obtained or refreshed; null if they were." },
    refresh_failures: {
      type: "integer",
      description: "The number of failed attempts since startup or since the last change of the settings.",
    },
    clock_skew_ms: { type: "integer", description: "How far the clock of this machine is behind the cloud's clock, in milliseconds." },
  },
} as const satisfies Schema;

/** The state of an identity, as the API returns it. */
export function viewIdentity(identity: IdentityState | undefined) {
  if (!identity) return null;
  const { source = null, expiresAtMs, failure = null, refreshFailures, clockSkewMs } = identity;
  const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
  return { source, expires_at, failure, refresh_failures: refreshFailures, clock_skew_ms: Math.round(clockSkewMs) };
}

const ms = { type: "integer", description: "Milliseconds." } as const satisfies Schema;

const upstreamSchema = {
  title: "Upstream",
  type: "object",
  required: [
    "id",
    "preset",
    "dialect",
    "base_url",
    "api_version",
    "allow_private",
    "timeouts",
    "concurrency",
    "unknown_parameters",
    "headers",
    "organization",
    "project",
    "credentials",
    "aws",
    "google",
    "azure",
    "managed_by",
    "models",
  ],
  properties: {
    id: { type: "string" },
    preset: { type: "string", nullable: true, enum: PRESET_IDS, description: "The provider preset, if the server is known." },
    dialect: { type: "string", enum: DIALECTS },
    base_url: { type: "string", nullable: true, description: "The base URL; null for the built-in upstream." },
    api_version: { type: "string", nullable: true, description: "The version of Azure's API; null for the default of the preset." },
    allow_private: { type: "boolean", description: "Whether it may be on this machine or in a private network." },
    timeouts: {
      title: "TimeoutsOrNull",
      type: "object",
      nullable: true,
      required: TIMEOUTS_WITH_DEFAULT,
      properties: perTimeout(ms),
    },
    concurrency: {
      title: "ConcurrencyOrNull",
      type: "object",
      nullable: true,
      required: ["max_calls", "max_queued", "max_wait_ms"],
      properties: { max_calls: { type: "integer" }, max_queued: { type: "integer" }, max_wait_ms: ms },
    },
    unknown_parameters: {
      ...unknownParametersSchema,
      nullable: true,
      description: "The handling of unknown parameters; null for the default of the dialect.",
    },
    headers: { type: "array", items: { type: "string" }, description: "The names of added request headers. Their values are never shown." },
    organization: { type: "string", nullable: true, description: "The value of the header `OpenAI-Organization`." },
    project: { type: "string", nullable: true, description: "The value of the header `OpenAI-Project`." },
    credentials: {
      type: "array",
      description: "The credentials. Their plaintext is never shown.",
      items: {
        title: "CredentialMark",
        type: "object",
        required: ["last4"],
        properties: {
          last4: { type: "string", nullable: true, description: "The last four characters; null for a credential with fewer than twelve." },
        },
      },
    },
    ...identityViews,
    managed_by: managedBySchema,
    models: { type: "array", items: { type: "string" }, description: "The models that it serves, without retired ones." },
  },
} as const satisfies Schema;

/** An upstream as the API returns it, without its plaintext credentials. */
function viewUpstream(upstream: UpstreamSettings, platform: Platform) {
  return {
    ...describeUpstream(upstream),
    managed_by: platform.catalog.originOfUpstream(upstream.id),
    models: servedBy(upstream.id, platform.catalog.snapshot()),
  };
}

/** The hosts of each cloud. Signatures and access tokens of an operator's upstream are sent only to these. */
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
 * Rejects an identity that the API may not set. Permission to write upstreams must not become permission to act as the machine, to read its
 * files, or to receive data signed by an identity. Only tollgate.yaml may set such identities, because its author controls the machine
 * anyway.
 */
function refuseIdentity(upstream: UpstreamSettings): void {
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
  // A host name may end with a dot.
  if (HOSTS[kind].test(hostname.replace(/\.$/, ""))) return;
  refuseField(["base_url"], `is not a host of the cloud ${kind}: private endpoints are only allowed in tollgate.yaml`);
}

/** A configuration of workload identity federation refers to files of this machine, commands and URLs. */
function refuseConfiguration(credentials: Secret, fail: Fail): void {
  const parsed = tryParse(credentials.reveal());
  if (!isObject(parsed) || parsed["type"] !== "service_account") {
    return fail(["credentials"], "must be the JSON key of a service account: other credentials are only allowed in tollgate.yaml");
  }
  // This URL would not be called, and a key of another endpoint cannot work.
  if (parsed["token_uri"] !== undefined && parsed["token_uri"] !== GOOGLE_TOKEN_URL)
    fail(["credentials"], `must have the token_uri ${GOOGLE_TOKEN_URL}`);
}

/** POST /api/upstreams: creates an upstream. Its secrets are stored encrypted, and never returned. */
export function createUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams",
    access: operators("upstreams:write"),
    operationId: "createUpstream",
    summary: "Create an upstream. Its credential or the secrets of its identity are stored encrypted and never shown again.",
    body: { ...declaredUpstreamSchema, properties: upstreamFields, title: "CreateUpstreamRequest" },
    reply: { status: 201, description: "The upstream.", json: upstreamSchema },
    async run({ body, change }) {
      const upstream = toUpstream(withoutNulls(body), refuseField);
      refuseIdentity(upstream);
      const { id } = upstream;
      await platform.catalog.updateUpstream(id, () => {
        if (platform.catalog.upstreams().has(id)) {
          throw new ApiError("already_exists", `The upstream ${id} already exists.`, { param: "id" });
        }
        refuseHeadersOfRoutes(id, platform);
        const what = { before: null, after: describeUpstream(upstream) };
        return { record: upstream, change: change("upstream.create", { kind: "upstream", id }, what) };
      });
      return viewUpstream(upstream, platform);
    },
    showCreated: (id) => viewUpstream(findUpstream(id, platform), platform),
  });
}

/**
 * An upstream of the config file or the environment may have been removed while routes to it remain. Another operator has set the headers
 * of those routes. An operator who reuses the ID for another server must not receive these headers.
 */
function refuseHeadersOfRoutes(id: string, { catalog }: Platform): void {
  const model = modelWithHeadersTo(id, catalog.snapshot());
  if (!model) return;
  const message = `The ID ${id} is still named by a route of the model ${model.id} with headers, which were entered for an earlier upstream. Replace that route first.`;
  throw new ApiError("invalid_value", message, { param: "id" });
}

/** GET /api/upstreams: a page of upstreams by id. */
export function listUpstreams(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams",
    access: operators("upstreams:read"),
    operationId: "listUpstreams",
    summary: "List upstreams by id",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Upstreams whose id or base URL contains this text." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of upstreams.", json: pageSchema("UpstreamPage", upstreamSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const upstreams = [...platform.catalog.upstreams().values()]
        .filter((upstream) => (after === undefined || upstream.id > after[0]) && isFound(upstream, query.search))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return toPage(
        cursors,
        upstreams,
        limit,
        (upstream) => viewUpstream(upstream, platform),
        ({ id }) => [id],
      );
    },
  });
}

function isFound(upstream: UpstreamSettings, search: string | undefined): boolean {
  const text = `${upstream.id} ${upstream.dialect === "echo" ? "" : upstream.baseUrl}`;
  return search === undefined || text.toLowerCase().includes(search.toLowerCase());
}

/** GET /api/upstreams/:id: an upstream, without its credentials. */
export function showUpstream(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id",
    access: operators("upstreams:read"),
    operationId: "showUpstream",
    summary: "Show an upstream, without its credentials",
    reply: { status: 200, description: "The upstream.", json: upstreamSchema },
    run: ({ param }) => viewUpstream(findUpstream(param("id"), platform), platform),
  });
}

const { id: _id, dialect: _dialect, ...changeable } = upstreamFields;

const requestSchema = {
  title: "UpdateUpstreamRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    ...changeable,
    preset: { ...changeable.preset, description: "The preset. The base URL stays." },
    credential: { ...credentialSchema, description: "The credential. Required with a new `base_url` when one is set." },
  },
} as const satisfies Schema;

type UpstreamChanges = Infer<typeof requestSchema>;

/** PATCH /api/upstreams/:id: updates the given fields, and null clears. Takes effect with the next request. */
export function updateUpstream(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/upstreams/:id",
    access: operators("upstreams:write"),
    operationId: "updateUpstream",
    summary: "Update an upstream. Only the given fields change. A new base URL requires the credential or the identity again.",
    body: requestSchema,
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        refuseSecretRedirect(upstream, body);
        refuseHarvestOfHeaders(upstream, body, platform);
        const changed = changeUpstream(upstream, body);
        refuseIdentity(changed);
        const after = hasSecrets(body) ? describeWithNewCredentials(changed) : describeUpstream(changed);
        const what = { before: describeUpstream(upstream), after };
        return { record: changed, change: change("upstream.update", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

function changeUpstream(upstream: UpstreamSettings, changes: UpstreamChanges): UpstreamSettings {
  const {
    aws: _aws,
    google: _google,
    azure: _azure,
    ...declared
  } = changes.base_url === undefined ? fromUpstream(upstream) : withoutFoundPreset(upstream);
  const timeouts = changes.timeouts && { timeouts: { ...declared.timeouts, ...changes.timeouts } };
  const concurrency = changes.concurrency && { concurrency: { ...declared.concurrency, ...changes.concurrency } };
  const headers = { headers: changeHeaders(upstream.headers, changes.headers) ?? null };
  const place = derivedPlace(upstream, changes);
  const changed = toUpstream(withoutNulls({ ...declared, ...place, ...changes, ...timeouts, ...concurrency, ...headers }), refuseField);
  if (changed.dialect === "echo" || hasSecrets(changes)) return changed;
  return { ...changed, credentials: credentialsOf(upstream), identity: identityOf(upstream) };
}

/** A base URL that is derived from the region of an identity, or from its project and location, changes with them. */
function derivedPlace(upstream: UpstreamSettings, { aws, google }: UpstreamChanges): { base_url?: string } {
  const { base_url: before, ...declared } = fromUpstream(upstream);
  if (before !== declaredAddress(declared)) return {};
  const derived = declaredAddress({ ...declared, ...(aws && { aws }), ...(google && { google }) });
  return derived === undefined ? {} : { base_url: derived };
}

/** Whether the changes replace the credentials or the identity as a whole. */
function hasSecrets({ credential, credentials, aws, google, azure }: UpstreamChanges): boolean {
  return (credential ?? credentials ?? aws ?? google ?? azure) !== undefined;
}

/** A preset that was derived from the base URL changes with it; a chosen preset stays. */
function withoutFoundPreset(upstream: UpstreamSettings): DeclaredUpstream {
  const { preset, ...declared } = fromUpstream(upstream);
  const isChosen = preset && upstream.dialect !== "echo" && preset !== presetAt(upstream.baseUrl, upstream.dialect);
  return isChosen ? { ...declared, preset } : declared;
}

/**
 * Another operator may have set the secrets of an upstream. An operator who redirects the upstream to another server must not receive them.
 */
function refuseSecretRedirect(upstream: UpstreamSettings, changes: UpstreamChanges): void {
  if (upstream.dialect === "echo" || hasSecrets(changes)) return;
  const { base_url: baseUrl } = changes;
  if (baseUrl === undefined || baseUrl === upstream.baseUrl) return;
  const param = upstream.identity?.kind ?? (upstream.credentials.length > 0 ? "credential" : undefined);
  if (param === undefined) return;
  const message = `${param} is required with another base_url: it is not sent to a URL that it was not entered for. Alternatively remove it first.`;
  throw new ApiError("missing_required_parameter", message, { param });
}

/** The same for headers of the upstream, which must all be sent with the change, and for headers of routes to it. */
function refuseHarvestOfHeaders(upstream: UpstreamSettings, { base_url: baseUrl, headers }: UpstreamChanges, { catalog }: Platform): void {
  if (upstream.dialect === "echo" || baseUrl === undefined || baseUrl === upstream.baseUrl) return;
  const given = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  const kept = headers === null ? undefined : namesOfHeaders(upstream.headers).find((name) => !given.has(name));
  if (kept !== undefined) {
    const message = `headers.${kept} is required with another base_url: it is not sent to a URL that it was not entered for. Alternatively remove it.`;
    throw new ApiError("missing_required_parameter", message, { param: `headers.${kept}` });
  }
  const model = modelWithHeadersTo(upstream.id, catalog.snapshot());
  if (!model) return;
  const message = `base_url cannot be changed while a route of the model ${model.id} to this upstream has headers: they were not entered for that URL. Remove them first.`;
  throw new ApiError("invalid_value", message, { param: "base_url" });
}

/** DELETE /api/upstreams/:id: removes an upstream that serves no model, with its credentials. Requests in flight finish. */
export function removeUpstream(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/upstreams/:id",
    access: operators("upstreams:write"),
    operationId: "removeUpstream",
    summary: "Remove an upstream that serves no model, with its credentials",
    reply: { status: 200, description: "The removed upstream.", json: upstreamSchema },
    async run({ param, change }) {
      const id = param("id");
      const { removed } = await platform.catalog.removeUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        refuseInUse(id, servedBy(id, platform.catalog.snapshot()));
        const what = { before: describeUpstream(upstream), after: null };
        return { removed: viewUpstream(upstream, platform), change: change("upstream.remove", { kind: "upstream", id }, what) };
      });
      return removed;
    },
  });
}

function refuseInUse(id: string, models: readonly string[]): void {
  if (models.length === 0) return;
  throw new ApiError("still_in_use", `The upstream ${id} serves ${summarizeList(models)}. Give each another route, or retire it, first.`);
}

/** POST /api/upstreams/:id/credential: adds a credential to the existing ones, which need not be entered again. */
export function addCredential(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "addCredential",
    summary: "Add a credential to an upstream. Requests are load-balanced across its credentials.",
    body: {
      title: "AddCredentialRequest",
      type: "object",
      additionalProperties: false,
      required: ["credential"],
      properties: { credential: credentialSchema },
    },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const changed = withCredential(upstream, new Secret(body.credential));
        const what = { before: describeUpstream(upstream), after: describeUpstream(changed) };
        return { record: changed, change: change("upstream.add_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

function withCredential(upstream: UpstreamSettings, added: Secret): UpstreamSettings {
  const credentials = credentialsOf(upstream);
  if (identityOf(upstream))
    refuseField(["credential"], "cannot be combined with the identity of the upstream. Replace the identity instead");
  if (credentials.some((each) => each.equals(added))) refuseField(["credential"], "is already set");
  if (credentials.length >= MAX_CREDENTIALS) refuseField(["credential"], `cannot be added: an upstream has at most ${MAX_CREDENTIALS}`);
  return withCredentials(upstream, [...credentials, added]);
}

/** PUT /api/upstreams/:id/credential: replaces all credentials of an upstream, or its identity. Requests in flight keep theirs. */
export function replaceCredential(platform: Platform): Operation {
  return operation({
    method: "PUT",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "replaceCredential",
    summary: "Replace the credentials or the identity of an upstream by other credentials, from the next request on",
    body: {
      title: "ReplaceCredentialRequest",
      type: "object",
      additionalProperties: false,
      properties: { credential: credentialSchema, credentials: credentialsSchema },
    },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const credentials = toCredentials(body, refuseField);
        if (credentials.length === 0) throw new ApiError("missing_required_parameter", "credential is required.", { param: "credential" });
        const changed = withCredentials(upstream, credentials);
        const what = { before: describeUpstream(upstream), after: describeWithNewCredentials(changed) };
        return { record: changed, change: change("upstream.replace_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

/** DELETE /api/upstreams/:id/credential: removes one credential, all of them, or the identity. */
export function removeCredential(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "removeCredential",
    summary: "Remove one or all credentials of an upstream, or its identity, from the next request on",
    query: { last4: { type: "string", description: "Only the credential with these last four characters. Default: all of them." } },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ param, query, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const changed = withCredentials(upstream, remaining(upstream, query.last4));
        const what = { before: describeUpstream(upstream), after: describeUpstream(changed) };
        return { record: changed, change: change("upstream.remove_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

/**
 * The credentials except the one that ends in `last4`. If two credentials have the same last characters, none is removed, because the
 * choice would be arbitrary.
 */
function remaining(upstream: UpstreamSettings, last4: string | undefined): readonly Secret[] {
  if (last4 === undefined) return [];
  const all = credentialsOf(upstream);
  const found = all.filter((each) => each.lastFour() === last4);
  if (found.length === 1) return all.filter((each) => each !== found[0]);
  const count = found.length === 0 ? "no credential ends" : `${found.length} credentials end`;
  return refuseField(["last4"], `must identify one credential of ${upstream.id}: ${count} in it`);
}

function withCredentials(upstream: UpstreamSettings, credentials: readonly Secret[]): UpstreamSettings {
  return upstream.dialect === "echo"
    ? refuseField(["credential"], "is not supported by the dialect echo")
    : { ...upstream, credentials, identity: undefined };
}
