import type { SQLQueryBindings } from "bun:sqlite";
import type { AttemptOutcome } from "../../vocabulary/attempt.ts";
import type { LoggedRequest, Outcome } from "../../vocabulary/logged-request.ts";
import type { Provenance } from "../../vocabulary/usage.ts";
import { startOf } from "./to-logged-request.ts";

/**
 * The tables of a day. `requests` has no index but its order: an index over accounts or keys makes each request write to another page,
 * and costs more than the row itself. Instead `chunks` says of so many rows in a row when they ended and which ids are among them,
 * and `found` which chunks have a value, so that a search reads only chunks that have something of what is asked for.
 */
export const TABLES = [
  `create table if not exists requests (row integer primary key, id blob not null, ended_at_ms integer not null, account_id text, key_id text,
    model text, upstream text, status integer not null, outcome text not null, code text, more text not null)`,
  `create table if not exists chunks (chunk integer primary key, from_ms integer not null, to_ms integer not null, first_id blob not null,
    last_id blob not null)`,
  `create table if not exists found (field text not null, value not null, chunk integer not null, primary key (field, value, chunk))
    without rowid`,
  "create table if not exists bodies (id blob primary key, request text, reply text, is_cut integer not null) without rowid",
] as const;

/** Rows that are read in one turn: one or two milliseconds in which nothing else can run. */
export const CHUNK_ROWS = 4096;

/** What is searched by, and its columns. */
export const FIELDS = {
  accountId: "account_id",
  keyId: "key_id",
  model: "model",
  upstream: "upstream",
  status: "status",
  outcome: "outcome",
  code: "code",
} as const satisfies Partial<Record<keyof LoggedRequest, string>>;

export type Field = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

/** The id is 16 bytes of what is 40 characters. */
export const INSERT = "insert into requests values (?, unhex(?, '-'), ?, ?, ?, ?, ?, ?, ?, ?, ?)";
export const SELECT = `select row, lower(hex(id)) as id, ended_at_ms, ${Object.values(FIELDS).join(", ")}, more from requests`;

export interface RequestRow {
  row: number;
  /** 32 hexadecimal digits. */
  id: string;
  ended_at_ms: number;
  account_id: string | null;
  key_id: string | null;
  model: string | null;
  upstream: string | null;
  status: number;
  outcome: Outcome;
  code: string | null;
  more: string;
}

const PREFIX = "req_";

/** The UUID in a request's id; undefined where it cannot be one of ours. */
export function uuidOf(requestId: string): string | undefined {
  return /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId) ? requestId.slice(PREFIX.length) : undefined;
}

/** When a request began: version 7 of UUIDs starts with that. */
export function timeInUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** What is only shown, as JSON: by position, because names would be most of it. */
type More = readonly [
  durationMs: number,
  firstTokenMs: number | null,
  overheadMs: number | null,
  requestBytes: number,
  replyBytes: number,
  isStream: 0 | 1,
  client: string | null,
  attempts: readonly PackedAttempt[],
  charge: PackedCharge | null,
  param: string | null,
  detail: string | null,
];

type PackedAttempt = readonly [string, string, number, number | null, AttemptOutcome | null, string | null];
type PackedCharge = readonly [string, Provenance, number, number, number, number, number];

export function toRow(row: number, request: LoggedRequest): SQLQueryBindings[] {
  const { requestId, endedAtMs, accountId, keyId, model, upstream, status, outcome, code } = request;
  return [row, requestId.slice(PREFIX.length), endedAtMs, accountId, keyId, model, upstream, status, outcome, code, packMore(request)];
}

export function fromRow({ id, ended_at_ms: endedAtMs, more, ...row }: RequestRow): LoggedRequest {
  const [durationMs, firstTokenMs, overheadMs, requestBytes, replyBytes, isStream, client, attempts, charge, param, detail] = JSON.parse(
    more,
  ) as More;
  return {
    requestId: `${PREFIX}${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`,
    startedAtMs: startOf(endedAtMs, durationMs),
    endedAtMs,
    keyId: row.key_id,
    accountId: row.account_id,
    model: row.model,
    isStream: isStream === 1,
    status: row.status,
    outcome: row.outcome,
    code: row.code,
    param,
    detail,
    upstream: row.upstream,
    attempts: attempts.map((packed) => {
      const [upstream, upstreamModel, startedMs, lastedMs, outcome, what] = packed;
      return { upstream, upstreamModel, startedMs, durationMs: lastedMs, outcome, detail: what };
    }),
    ...unpackCharge(charge),
    durationMs,
    firstTokenMs,
    overheadMs,
    requestBytes,
    replyBytes,
    client,
  };
}

function packMore(request: LoggedRequest): string {
  const { durationMs, firstTokenMs, overheadMs, requestBytes, replyBytes, isStream, client, param, detail } = request;
  const attempts = request.attempts.map((each): PackedAttempt => {
    return [each.upstream, each.upstreamModel, each.startedMs, each.durationMs, each.outcome, each.detail];
  });
  const times = [durationMs, firstTokenMs, overheadMs] as const;
  const more: More = [...times, requestBytes, replyBytes, isStream ? 1 : 0, client, attempts, packCharge(request), param, detail];
  return JSON.stringify(more);
}

function packCharge({ costNanos, provenance, usage }: LoggedRequest): PackedCharge | null {
  if (costNanos === null || provenance === null || usage === null) return null;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  // As text: it may be larger than what a number of JSON holds exactly.
  return [String(costNanos), provenance, promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens];
}

function unpackCharge(charge: PackedCharge | null): Pick<LoggedRequest, "costNanos" | "provenance" | "usage"> {
  if (charge === null) return { costNanos: null, provenance: null, usage: null };
  const [cost, provenance, promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens] = charge;
  const usage = { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens };
  return { costNanos: BigInt(cost), provenance, usage };
}
