import type { Kysely } from "kysely";

/** The installation of another gateway that a key was imported from. It is not known of earlier imports. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("keys").addColumn("imported_source", "text").execute();
}
