import { sql, type Kysely } from "kysely";

/**
 * Rollups of usage by quarter hours, hours, days and 30 days of UTC, for each series and, with an empty account and key, for all accounts
 * together; and the times of the entries in blocks of ids, which take the place of an index by time. Both follow from the entries up to the
 * watermark in `usage_rolled`: see stores/ledger/postgres-records.
 */
const STATEMENTS = [
  // Sums of amounts exceed 64 bits. Room in each page, so that updates of the current slots leave the index as it is.
  `create table usage_sums (account_id text not null, grain text not null, slot bigint not null, key_id text not null, model text not null,
    upstream text not null, first_ms bigint not null, last_ms bigint not null, requests bigint not null, failed bigint not null,
    prompt_tokens bigint not null, cached_tokens bigint not null, cache_write_tokens bigint not null, completion_tokens bigint not null,
    reasoning_tokens bigint not null, cost_nanos numeric not null, uncharged_nanos numeric not null,
    primary key (account_id, grain, slot, key_id, model, upstream)) with (fillfactor = 80)`,
  "create index usage_sums_slot on usage_sums (grain, slot) where account_id <> ''",
  "create table usage_rolled (single integer primary key check (single = 1), as_of_id bigint not null)",
  "insert into usage_rolled values (1, 0)",
  `create table entry_blocks (first_id bigint primary key, last_id bigint not null, first_ms bigint not null, last_ms bigint not null)`,
  "create index entry_blocks_time on entry_blocks (last_ms)",
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}
