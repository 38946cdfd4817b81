import { POSTGRES, TABLE_KINDS } from "../log-dialect.ts";
import { COLUMN_DEFINITIONS } from "../request-rows.ts";

/**
 * The statements that create the tables of a day, as in the day files: `requests` has no index except for its row numbers. The filters of
 * `names` are written in the background.
 */
export function createStatements(day: string): string[] {
  const { requests, chunks, found, names, bodies, sums, mirrors } = POSTGRES.tablesOf(day);
  return [
    `create table if not exists ${requests} (${COLUMN_DEFINITIONS})`,
    `create table if not exists ${chunks} (chunk bigint primary key, from_ms bigint not null, to_ms bigint not null, first_id uuid not null,
      last_id uuid not null)`,
    `create table if not exists ${found} (field text not null, value text not null, chunk bigint not null, primary key (field, value, chunk))`,
    `create table if not exists ${names} (chunk bigint primary key, bits bytea)`,
    `create table if not exists ${bodies} (id uuid primary key, request text, reply text, is_cut boolean not null)`,
    `create table if not exists ${sums} (account text not null, model text not null, quarter integer not null, outcomes text not null,
      codes text, durations bytea, first_tokens bytea, primary key (account, model, quarter))`,
    `create table if not exists ${mirrors} (id uuid primary key, model text not null, result text not null)`,
    `create index if not exists ${mirrors}_different on ${mirrors} (id) where ${POSTGRES.isDifferent}`,
  ];
}

export function dropStatement(day: string): string {
  const tables = POSTGRES.tablesOf(day);
  return `drop table if exists ${TABLE_KINDS.map((kind) => tables[kind]).join(", ")}`;
}

/** An expression for the size of all tables of a day, where `day` is a column. */
export const BYTES_OF_DAY = `(select coalesce(sum(pg_total_relation_size(to_regclass('request_log_' || replace(day, '-', '_') || '_' || kind))), 0)
  from unnest(array[${TABLE_KINDS.map((kind) => `'${kind}'`).join(", ")}]) as kind)::float8`;
