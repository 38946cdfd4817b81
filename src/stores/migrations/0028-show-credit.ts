import type { Kysely } from "kysely";

/** Whether the holders of an account's keys see its remaining credit. They do in every account so far. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("accounts")
    .addColumn("show_credit", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
}
