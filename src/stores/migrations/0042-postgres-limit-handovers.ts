import { sql, type Kysely } from "kysely";

/** What processes that have ended have counted for rate limits within their last minute. Logged: it outlasts a crash, which empties the counters. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create table limit_handovers (process_id text primary key, left_at timestamptz not null, counted text not null)`.execute(
    database,
  );
}
