import { sql, type Kysely } from "kysely";

/**
 * Exports of requests, and their files in chunks: any process can return what another one has written. Unlogged: they last for a day, and are not
 * worth the WAL. A crash of the server empties both tables.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table exports (id text primary key, owner_id text not null, instance_id text not null, role text not null,
    account_id text, format text not null, filters text not null, state text not null, rows bigint not null, total bigint,
    bytes bigint not null, error text, created_at_ms bigint not null, ended_at_ms bigint, expires_at_ms bigint not null)`.execute(database);
  await sql`create index exports_owner on exports (owner_id)`.execute(database);
  await sql`create unlogged table export_chunks (export_id text not null references exports (id) on delete cascade, at_byte bigint not null,
    text text not null, primary key (export_id, at_byte))`.execute(database);
}
