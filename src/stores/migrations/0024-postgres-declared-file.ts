import { sql, type Kysely } from "kysely";

/**
 * The config file that all processes of a database serve, and the digest of the file that each of them has read. What processes report to each
 * other, for information only: these tables are empty after a crash.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table declared_file (single integer primary key check (single = 1), digest text not null, content text not null,
    declared_by text not null)`.execute(database);
  await sql`create unlogged table process_reports (instance_id text primary key, upstreams text not null)`.execute(database);
  await sql`create unlogged table refusals (scope text not null, id text not null, what text not null, left_nanos text not null,
    primary key (scope, id, what))`.execute(database);
  await sql`alter table instance_status add column config_digest text`.execute(database);
}
