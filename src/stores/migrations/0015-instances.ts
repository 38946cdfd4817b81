import { sql, type Kysely } from "kysely";

/** The gateway processes that share the ledger, each with the number of its last change in it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table instances (id text primary key, epoch integer not null, applied_seq integer not null, state text not null,
    seen_at_ms bigint not null) without rowid`.execute(database);
}
