import type { SQLQueryBindings } from "bun:sqlite";
import type { LoggedAttempt, LoggedRequest, Outcome } from "../../requests/logged-request.ts";
import { readAttribution, writeAttribution } from "../../money/attribution.ts";
import type { Provenance } from "../../money/usage.ts";
import { startOf } from "./build-logged-request.ts";
import { CREATE_MIRRORS } from "./mirrors/mirror-table.ts";

/** A row of `requests`. Durations are whole microseconds; ids are the 16 bytes of the UUID. */
export interface RequestRow {
  row: number;
  /** Read as 32 hexadecimal digits. */
  id: string;
  ended_at_ms: number;
  account_id: string | null;
  key_id: string | null;
  model: string | null;
  upstream: string | null;
  status: number;
  outcome: Outcome;
  code: string | null;
  is_stream: number;
  duration_us: number;
  first_token_us: number | null;
  overhead_us: number | null;
  request_bytes: number;
  reply_bytes: number;
  client: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cached_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  provenance: Provenance | null;
  /** Read as text, because it may exceed the exact range of a JavaScript number. */
  cost_nanos: string | null;
  /** For most requests: the values of the only attempt, which answered. */
  upstream_model: string | null;
  tried_us: number | null;
  answered_us: number | null;
  /** For all other requests: the attempts as JSON. */
  attempts: string | null;
  param: string | null;
  detail: string | null;
  trace_id: string | null;
  /** Stored as JSON. */
  attribution: string | null;
}

/** In the order of `toRow`. Filtered columns come first: SQLite reads a row only as far as necessary. */
const COLUMNS = [
  ["row", "integer primary key"],
  ["id", "blob not null"],
  ["ended_at_ms", "integer not null"],
  ["account_id", "text"],
  ["key_id", "text"],
  ["model", "text"],
  ["upstream", "text"],
  ["status", "integer not null"],
  ["outcome", "text not null"],
  ["code", "text"],
  ["is_stream", "integer not null"],
  ["duration_us", "integer not null"],
  ["first_token_us", "integer"],
  ["overhead_us", "integer"],
  ["request_bytes", "integer not null"],
  ["reply_bytes", "integer not null"],
  ["client", "text"],
  ["prompt_tokens", "integer"],
  ["completion_tokens", "integer"],
  ["cached_tokens", "integer"],
  ["cache_write_tokens", "integer"],
  ["reasoning_tokens", "integer"],
  ["provenance", "text"],
  ["cost_nanos", "integer"],
  ["upstream_model", "text"],
  ["tried_us", "integer"],
  ["answered_us", "integer"],
  ["attempts", "text"],
  ["param", "text"],
  ["detail", "text"],
  ["trace_id", "text"],
  ["attribution", "text"],
] as const satisfies readonly (readonly [keyof RequestRow, string])[];

/** The columns, in the order of `toRow`. */
export const COLUMN_NAMES = COLUMNS.map(([name]) => name);

const CREATE_REQUESTS = `create table if not exists requests (${COLUMNS.map((column) => column.join(" ")).join(", ")})`;

/** The `NameFilter` of each chunk; null for a chunk that must be read because a name in it was erased. */
const CREATE_NAMES = "create table if not exists names (chunk integer primary key, bits blob)";

/**
 * The tables of a day. `requests` has no index: an index on accounts or keys would make each request write to another page, which costs
 * more than the row itself. Instead, `chunks` has the times and ids of each 4,096 rows, and `found` has the chunks that contain a value, so
 * that a search reads only chunks with a match. `names` does the same for end users, conversations and tags; a chunk that was not written
 * by a single process has no row in it.
 */
export const TABLES = [
  CREATE_REQUESTS,
  `create table if not exists chunks (chunk integer primary key, from_ms integer not null, to_ms integer not null, first_id blob not null,
    last_id blob not null)`,
  `create table if not exists found (field text not null, value not null, chunk integer not null, primary key (field, value, chunk))
    without rowid`,
  CREATE_NAMES,
  ...CREATE_MIRRORS,
  "create table if not exists bodies (id blob primary key, request text, reply text, is_cut integer not null) without rowid",
] as const;

/** Rows read in one turn of the event loop, which blocks it for 1 to 2 ms. */
export const CHUNK_ROWS = 4096;

/** The fields that can be filtered, and their columns. */
export const FIELDS = {
  accountId: "account_id",
  keyId: "key_id",
  model: "model",
  upstream: "upstream",
  status: "status",
  outcome: "outcome",
  code: "code",
} as const satisfies Partial<Record<keyof LoggedRequest, keyof RequestRow>>;

export const FIELD_NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

export const INSERT = `insert into requests values (${COLUMNS.map(([name]) => (name === "id" ? "unhex(?, '-')" : "?")).join(", ")})`;

const READ_AS: Partial<Record<keyof RequestRow, string>> = {
  id: "lower(hex(id)) as id",
  cost_nanos: "cast(cost_nanos as text) as cost_nanos",
};
export const SELECT = `select ${COLUMNS.map(([name]) => READ_AS[name] ?? name).join(", ")} from requests`;

const PREFIX = "req_";

/** The UUID in a request id; undefined if the text is not a request id. */
export function uuidOf(requestId: string): string | undefined {
  return /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId) ? requestId.slice(PREFIX.length) : undefined;
}

/** The time when a request started: a UUID of version 7 begins with its time. */
export function timeInUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** The values of a row. JSON is avoided if possible: it would be a quarter of the cost of a request. */
export function toRow(row: number, request: LoggedRequest): SQLQueryBindings[] {
  const { usage, attempts } = request;
  const only = onlyAttempt(request);
  return [
    row,
    request.requestId.slice(PREFIX.length),
    request.endedAtMs,
    request.accountId,
    request.keyId,
    request.model,
    request.upstream,
    request.status,
    request.outcome,
    request.code,
    request.isStream ? 1 : 0,
    toMicros(request.durationMs),
    toMicros(request.firstTokenMs),
    toMicros(request.overheadMs),
    request.requestBytes,
    request.replyBytes,
    request.client,
    usage && usage.promptTokens,
    usage && usage.completionTokens,
    usage && usage.cachedTokens,
    usage && usage.cacheWriteTokens,
    usage && usage.reasoningTokens,
    request.provenance,
    request.costNanos,
    only ? only.upstreamModel : null,
    only ? toMicros(only.startedMs) : null,
    only ? toMicros(only.durationMs) : null,
    only || attempts.length === 0 ? null : JSON.stringify(attempts),
    request.param,
    request.detail,
    request.traceId,
    request.attribution && writeAttribution(request.attribution),
  ];
}

export function fromRow(row: RequestRow): LoggedRequest {
  const { id, ended_at_ms: endedAtMs } = row;
  const durationMs = toMs(row.duration_us)!;
  return {
    requestId: `${PREFIX}${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`,
    startedAtMs: startOf(endedAtMs, durationMs),
    endedAtMs,
    keyId: row.key_id,
    accountId: row.account_id,
    model: row.model,
    isStream: row.is_stream === 1,
    status: row.status,
    outcome: row.outcome,
    code: row.code,
    param: row.param,
    detail: row.detail,
    upstream: row.upstream,
    attempts: attemptsIn(row),
    usage: usageIn(row),
    provenance: row.provenance,
    costNanos: row.cost_nanos === null ? null : BigInt(row.cost_nanos),
    durationMs,
    firstTokenMs: toMs(row.first_token_us),
    overheadMs: toMs(row.overhead_us),
    requestBytes: row.request_bytes,
    replyBytes: row.reply_bytes,
    client: row.client,
    traceId: row.trace_id,
    attribution: readAttribution(row.attribution) ?? null,
  };
}

function onlyAttempt({ attempts, upstream }: LoggedRequest): LoggedAttempt | undefined {
  const [attempt] = attempts;
  if (attempts.length !== 1 || attempt!.outcome !== "answered" || attempt!.fallback !== undefined) return undefined;
  return attempt!.upstream === upstream && attempt!.detail === null ? attempt : undefined;
}

function attemptsIn({ upstream, upstream_model: upstreamModel, tried_us, answered_us, attempts }: RequestRow): readonly LoggedAttempt[] {
  if (attempts !== null) return JSON.parse(attempts) as LoggedAttempt[];
  if (upstream === null || upstreamModel === null) return [];
  return [{ upstream, upstreamModel, startedMs: toMs(tried_us)!, durationMs: toMs(answered_us), outcome: "answered", detail: null }];
}

function usageIn(row: RequestRow): LoggedRequest["usage"] {
  if (row.prompt_tokens === null) return null;
  return {
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens!,
    cachedTokens: row.cached_tokens!,
    cacheWriteTokens: row.cache_write_tokens!,
    reasoningTokens: row.reasoning_tokens!,
  };
}

function toMicros(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 1000);
}

function toMs(micros: number | null): number | null {
  return micros === null ? null : micros / 1000;
}
