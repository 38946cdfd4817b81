import { sql, type Kysely } from "kysely";

/** The config file that all processes of a database serve, and the digest of the file that each of them has read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table declared_file (single integer primary key check (single = 1), digest text not null, content text not null,
    declared_by text not null)`.execute(database);
  // Statements that came after it would wait for its lock too.
  await sql`set local lock_timeout = '3s'`.execute(database);
  await sql`alter table instance_status add column config_digest text`.execute(database);
}
