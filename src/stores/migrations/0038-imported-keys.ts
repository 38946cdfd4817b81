import type { Kysely } from "kysely";

/** The gateway that a key was imported from, and when. So far none was. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("keys").addColumn("imported_from", "text").execute();
  await database.schema.alterTable("keys").addColumn("imported_at_ms", "bigint").execute();
}
