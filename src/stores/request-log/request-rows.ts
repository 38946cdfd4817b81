import type { SQLQueryBindings } from "bun:sqlite";
import type { LoggedAttempt, LoggedRequest, Outcome } from "../../requests/logged-request.ts";
import { readAttribution, writeAttribution } from "../../money/attribution.ts";
import type { Provenance } from "../../money/usage.ts";
import { startOf } from "./build-logged-request.ts";

/**
 * The columns of `requests` in PostgreSQL, in the order of `toRow`. Filtered columns come first: SQLite reads a row only as far as necessary.
 * Durations are whole microseconds.
 */
const COLUMNS = {
  row: "bigint primary key",
  id: "uuid not null",
  ended_at_ms: "bigint not null",
  account_id: "text",
  key_id: "text",
  model: "text",
  upstream: "text",
  status: "integer not null",
  outcome: "text not null",
  code: "text",
  is_stream: "integer not null",
  duration_us: "bigint not null",
  first_token_us: "bigint",
  overhead_us: "bigint",
  request_bytes: "bigint not null",
  reply_bytes: "bigint not null",
  client: "text",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  cached_tokens: "bigint",
  cache_write_tokens: "bigint",
  reasoning_tokens: "bigint",
  provenance: "text",
  cost_nanos: "bigint",
  // For most requests: the values of the only attempt, which answered. For all others: the attempts as JSON.
  upstream_model: "text",
  tried_us: "bigint",
  answered_us: "bigint",
  attempts: "text",
  param: "text",
  detail: "text",
  trace_id: "text",
  // JSON.
  attribution: "text",
} as const satisfies Record<string, `${ColumnType}${"" | " not null" | " primary key"}`>;

type ColumnType = "bigint" | "integer" | "text" | "uuid";
type Columns = typeof COLUMNS;
type ValueOf<Definition> = Definition extends `${"bigint" | "integer"}${string}` ? number : string;
type Nullable<Definition> = Definition extends ColumnType ? null : never;

/** A row of `requests`, as it is read. An id is 32 hexadecimal digits. A cost is a text: it may exceed the exact range of a number. */
export type RequestRow = {
  readonly [Name in Exclude<keyof Columns, "cost_nanos" | "outcome" | "provenance">]: ValueOf<Columns[Name]> | Nullable<Columns[Name]>;
} & { readonly cost_nanos: string | null; readonly outcome: Outcome; readonly provenance: Provenance | null };

/** The columns, in the order of `toRow`. */
export const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof RequestRow)[];

/** The definitions of the columns. SQLite has the same ones, with other names of types. */
export const COLUMN_DEFINITIONS = COLUMN_NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(", ");

export function columnTypeOf(name: keyof RequestRow): ColumnType {
  return COLUMNS[name].split(" ")[0] as ColumnType;
}

/** The rows of a chunk. They are read in one turn of the event loop, which blocks it for 1 to 2 ms. */
export const CHUNK_ROWS = 4096;

/** The number of the chunk with a row. */
export function chunkOf(row: number): number {
  return Math.floor(row / CHUNK_ROWS);
}

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
