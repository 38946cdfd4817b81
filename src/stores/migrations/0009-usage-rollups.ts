import { sql, type Kysely } from "kysely";

/**
 * What requests have used, added up by quarter hours, hours, days and 30 days of UTC. It follows from the entries, and is caught up
 * with in the background: see stores/ledger/usage.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream))`.execute(database);
  await sql`create index usage_series_part on usage_series (account_id, part)`.execute(database);
  // With row ids: large rows within the tree of the key would make it deep, and a search slow.
  await sql`create table usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part))`.execute(database);
  await sql`create table usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid`.execute(database);
}
