import type { Kysely } from "kysely";

/**
 * The end user, tags and conversation of a request, as JSON, and what the provider charges for it. Entries until now have neither. How the
 * requests of an account are attributed is JSON too; null stands for the default.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  // One column a statement: SQLite adds no more at a time.
  await database.schema.alterTable("entries").addColumn("attribution", "text").execute();
  await database.schema.alterTable("entries").addColumn("upstream_cost_nanos", "bigint").execute();
  await database.schema.alterTable("accounts").addColumn("attribution", "text").execute();
}
