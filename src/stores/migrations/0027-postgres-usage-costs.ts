import { sql, type Kysely } from "kysely";

/**
 * Sums of the upstream cost: what providers charge for the requests whose cost is known, how many those are, and what accounts were charged
 * for them. The cost of what was summed before is unknown, so all are zero.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table usage_sums add column upstream_cost_nanos numeric not null default 0,
    add column costed_nanos numeric not null default 0, add column costed_requests bigint not null default 0`.execute(database);
}
