import type { Kysely } from "kysely";

/** How far below zero the credit of an account may go. So far none has a credit line. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("accounts").addColumn("credit_line", "text").execute();
}
