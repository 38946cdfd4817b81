import type { Kysely } from "kysely";

/** What did not answer before a request ended, as JSON; null for most. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("entries").addColumn("failed_attempts", "text").execute();
}
