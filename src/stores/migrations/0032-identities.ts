import type { Kysely } from "kysely";

/** The secrets of an upstream's identity at a cloud, encrypted. So far no upstream has one. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("upstreams").addColumn("identity", "text").execute();
}
