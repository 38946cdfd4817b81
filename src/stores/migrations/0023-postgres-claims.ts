import { sql, type Kysely } from "kysely";

/** The run of the database server in which a process has stated its idempotency claims last. Null in processes of earlier versions. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column stated_run text`.execute(database);
}
