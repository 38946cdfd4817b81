import { sql, type Kysely } from "kysely";

/** The endpoints in other formats that operators have turned on. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table endpoints (id text primary key, created_at_ms bigint not null)`.execute(database);
}
