import { sql, type Kysely } from "kysely";

/** Fees for tools, rates for caching for an hour, and multipliers: in prices, and what responses have used of them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table prices add column premium text`.execute(database);
  await sql`alter table entries add column premium text`.execute(database);
}
