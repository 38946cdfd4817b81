import type { Kysely } from "kysely";

/** The name under which the upstream knows, and bills, the model of an answer; null where none was asked, and for older answers. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("entries").addColumn("upstream_model", "text").execute();
}
