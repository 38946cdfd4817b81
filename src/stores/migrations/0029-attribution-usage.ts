import { sql, type Kysely } from "kysely";

/**
 * Rollups of usage by end user, conversation and tag: like `usage_series` and `usage_sums`, with an owner such as `user/acme` in the place of the
 * account. Names of series are not unique: those of erased end users are all the same. Entries until now have no attribution, so nothing is
 * added up again. `attribution_tags` has the tags that an account has used.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table attribution_series (id integer primary key, owner text not null, key_id text not null, model text not null,
    name text not null, part integer not null)`.execute(database);
  await sql`create index attribution_series_name on attribution_series (owner, name, key_id, model)`.execute(database);
  await sql`create index attribution_series_part on attribution_series (owner, part)`.execute(database);
  await sql`create table attribution_sums (grain text not null, slot integer not null, owner text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    figures integer not null, primary key (grain, slot, owner, part))`.execute(database);
  await sql`create table attribution_tags (account_id text not null, tag text not null,
    primary key (account_id, tag)) without rowid`.execute(database);
}
