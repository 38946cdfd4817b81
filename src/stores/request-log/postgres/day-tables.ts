import { COLUMN_NAMES, type RequestRow } from "../request-rows.ts";
import { POSTGRES_MIRRORS } from "../mirrors/mirror-conditions.ts";

/** The kinds of tables of a day, in the order in which every statement locks them. */
const KINDS = ["requests", "chunks", "found", "bodies", "sums", "mirrors"] as const;

type DayTables = Readonly<Record<(typeof KINDS)[number], string>>;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The names of the tables of a day, such as `request_log_2027_01_31_requests`. */
export function tablesOf(day: string): DayTables {
  if (!DAY.test(day)) throw new RangeError(`${day} is not a day`);
  const nameOf = (kind: string): string => `request_log_${day.replaceAll("-", "_")}_${kind}`;
  return Object.fromEntries(KINDS.map((kind) => [kind, nameOf(kind)])) as DayTables;
}

/** The types of the columns of `requests`. The columns mean the same as in the day files. */
export const COLUMN_TYPES: Readonly<Record<keyof RequestRow, "bigint" | "integer" | "text" | "uuid">> = {
  row: "bigint",
  id: "uuid",
  ended_at_ms: "bigint",
  account_id: "text",
  key_id: "text",
  model: "text",
  upstream: "text",
  status: "integer",
  outcome: "text",
  code: "text",
  is_stream: "integer",
  duration_us: "bigint",
  first_token_us: "bigint",
  overhead_us: "bigint",
  request_bytes: "bigint",
  reply_bytes: "bigint",
  client: "text",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  cached_tokens: "bigint",
  cache_write_tokens: "bigint",
  reasoning_tokens: "bigint",
  provenance: "text",
  cost_nanos: "bigint",
  upstream_model: "text",
  tried_us: "bigint",
  answered_us: "bigint",
  attempts: "text",
  param: "text",
  detail: "text",
  trace_id: "text",
  attribution: "text",
};

const REQUIRED = new Set<keyof RequestRow>(["id", "ended_at_ms", "status", "outcome", "is_stream", "duration_us"]);

/**
 * The statements that create the tables of a day. As in the day files, `requests` has no index except for its row numbers: `chunks` has the
 * times and ids of each 4,096 rows, and `found` has the chunks that contain a value, so that a search reads only chunks with a match.
 */
export function createStatements(day: string): string[] {
  const { requests, chunks, found, bodies, sums, mirrors } = tablesOf(day);
  return [
    `create table if not exists ${requests} (${COLUMN_NAMES.map(columnOf).join(", ")})`,
    `create table if not exists ${chunks} (chunk bigint primary key, from_ms bigint not null, to_ms bigint not null, first_id uuid not null,
      last_id uuid not null)`,
    `create table if not exists ${found} (field text not null, value text not null, chunk bigint not null, primary key (field, value, chunk))`,
    `create table if not exists ${bodies} (id uuid primary key, request text, reply text, is_cut boolean not null)`,
    `create table if not exists ${sums} (account text not null, model text not null, quarter integer not null, outcomes text not null,
      codes text, durations bytea, first_tokens bytea, primary key (account, model, quarter))`,
    `create table if not exists ${mirrors} (id uuid primary key, model text not null, result text not null)`,
    `create index if not exists ${mirrors}_different on ${mirrors} (id) where ${POSTGRES_MIRRORS.different}`,
  ];
}

export function dropStatement(day: string): string {
  const tables = tablesOf(day);
  return `drop table if exists ${KINDS.map((kind) => tables[kind]).join(", ")}`;
}

/** An expression for the size of all tables of a day, where `day` is a column. */
export const BYTES_OF_DAY = `(select coalesce(sum(pg_total_relation_size(to_regclass('request_log_' || replace(day, '-', '_') || '_' || kind))), 0)
  from unnest(array[${KINDS.map((kind) => `'${kind}'`).join(", ")}]) as kind)::float8`;

function columnOf(name: keyof RequestRow): string {
  if (name === "row") return "row bigint primary key";
  return `${name} ${COLUMN_TYPES[name]}${REQUIRED.has(name) ? " not null" : ""}`;
}
