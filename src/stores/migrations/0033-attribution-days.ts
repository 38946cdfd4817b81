import type { Kysely } from "kysely";

/**
 * The limit of names that the usage of a day was counted with. A change of the setting applies from the next day: after a crash, entries of the day are
 * counted again, and have to get the same names. Days before the first start of this version get the limit of that start.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("attribution_days")
    .addColumn("day", "integer", (column) => column.primaryKey())
    .addColumn("names", "integer", (column) => column.notNull())
    .execute();
}
