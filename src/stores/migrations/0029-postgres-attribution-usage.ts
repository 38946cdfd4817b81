import { sql, type Kysely } from "kysely";

/**
 * Rollups of usage by end user, conversation and tag, up to the watermark in `usage_rolled`: see stores/ledger/postgres-records. Entries until
 * now have no attribution, so nothing is added up again. `attribution_tags` has the tags that an account has used. The days of the request log
 * get the column too.
 */
const STATEMENTS = [
  // Room in each page, so that updates of the current slots leave the index as it is.
  `create table attribution_sums (account_id text not null, dimension text not null, grain text not null, slot bigint not null,
    name text not null, key_id text not null, model text not null, requests bigint not null, failed bigint not null,
    prompt_tokens bigint not null, cached_tokens bigint not null, cache_write_tokens bigint not null, completion_tokens bigint not null,
    reasoning_tokens bigint not null, cost_nanos numeric not null, uncharged_nanos numeric not null, costed_requests bigint not null,
    upstream_cost_nanos numeric not null, costed_nanos numeric not null,
    primary key (dimension, grain, slot, account_id, name, key_id, model)) with (fillfactor = 80)`,
  "create table attribution_tags (account_id text not null, tag text not null, primary key (account_id, tag))",
  `do $$ declare log_table text; begin
    for log_table in select tablename from pg_tables where schemaname = current_schema()
      and tablename ~ '^request_log_[0-9]{4}_[0-9]{2}_[0-9]{2}_requests$' loop
      execute format('alter table %I add column if not exists attribution text', log_table);
    end loop;
  end $$`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
}
