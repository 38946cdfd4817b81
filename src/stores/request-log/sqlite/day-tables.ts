import { SQLITE } from "../log-dialect.ts";
import { COLUMN_DEFINITIONS, COLUMN_NAMES } from "../request-rows.ts";

const COLUMNS = COLUMN_DEFINITIONS.replaceAll(" bigint", " integer").replaceAll(" uuid", " blob");

/**
 * The tables of a day. `requests` has no index: an index on accounts or keys would make each request write to another page, which costs
 * more than the row itself. Instead, `chunks` has the times and ids of each 4,096 rows, and `found` has the chunks that contain a value, so
 * that a search reads only chunks with a match. `names` has a `NameFilter` of the end users, conversations and tags of each chunk; a chunk
 * that was not written by a single process has no row in it, and null marks a chunk in which a name was erased. `mirrors` is indexed by the
 * results that differ: reading a result takes as long as reading ten requests, and most results are the same.
 */
export const DAY_TABLES = [
  `create table if not exists requests (${COLUMNS})`,
  `create table if not exists chunks (chunk integer primary key, from_ms integer not null, to_ms integer not null, first_id blob not null,
    last_id blob not null)`,
  `create table if not exists found (field text not null, value not null, chunk integer not null, primary key (field, value, chunk))
    without rowid`,
  "create table if not exists names (chunk integer primary key, bits blob)",
  "create table if not exists mirrors (id blob primary key, model text not null, result text not null) without rowid",
  `create index if not exists different_mirrors on mirrors (id) where ${SQLITE.isDifferent}`,
  "create table if not exists bodies (id blob primary key, request text, reply text, is_cut integer not null) without rowid",
] as const;

export const INSERT = `insert into requests values (${COLUMN_NAMES.map((name) => (name === "id" ? "unhex(?, '-')" : "?")).join(", ")})`;
