import type { Kysely } from "kysely";

/** When a key was paused, and when a key, account, person or model was archived. So far none is. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("keys").addColumn("paused_at_ms", "bigint").execute();
  for (const table of ["keys", "accounts", "people", "models"]) {
    await database.schema.alterTable(table).addColumn("archived_at_ms", "bigint").execute();
  }
}
