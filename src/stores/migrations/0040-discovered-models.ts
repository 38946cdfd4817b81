import type { Kysely } from "kysely";

/** The models that upstreams list, for wildcard models. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("discovered_models")
    .addColumn("upstream", "text", (column) => column.primaryKey())
    .addColumn("base_url", "text", (column) => column.notNull())
    .addColumn("models", "text", (column) => column.notNull())
    .addColumn("found_at_ms", "bigint", (column) => column.notNull())
    .execute();
}
