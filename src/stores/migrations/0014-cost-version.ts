import type { Kysely } from "kysely";

/** The version of the cost price of the route that served a request: what the provider charges. Null where the route had none. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("entries").addColumn("cost_version", "text").execute();
}
