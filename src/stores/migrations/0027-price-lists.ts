import type { Kysely } from "kysely";

/**
 * Price lists of operators, and the list of each account. A price that belongs to a list names it; one that is a percentage of another names
 * that and the percentage, for the auditor. So far there are neither.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("price_lists")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("declared", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await database.schema.alterTable("accounts").addColumn("price_list", "text").execute();
  for (const name of ["price_list", "derived_from"]) await database.schema.alterTable("prices").addColumn(name, "text").execute();
  await database.schema.alterTable("prices").addColumn("percent", "integer").execute();
}
