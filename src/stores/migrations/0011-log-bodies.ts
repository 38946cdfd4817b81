import type { Kysely } from "kysely";

/** Whether the request log keeps what an account's callers and models say. No account has wanted it so far. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("accounts")
    .addColumn("log_bodies", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
