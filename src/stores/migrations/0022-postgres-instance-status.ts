import { sql, type Kysely } from "kysely";

/**
 * What processes report of themselves, for operators. In a table of its own: `instances` is locked by every shipment. Rows are updated once a
 * second: room in their pages keeps the updates out of the index.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table instance_status (id text primary key, host text not null, pid integer not null, version text not null,
    role text not null, started_at timestamptz not null, in_flight integer not null, connections integer not null,
    memory_bytes bigint not null, draining boolean not null) with (fillfactor = 50)`.execute(database);
}
