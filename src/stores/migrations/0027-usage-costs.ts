import { sql, type Kysely } from "kysely";

/**
 * How many figures a cell of a rollup has. Rollups have had 11; five more are for the upstream cost. The cost of what was summed before is
 * unknown, so rows are not written again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table usage_sums add column figures integer not null default 11`.execute(database);
}
