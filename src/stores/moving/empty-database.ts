import type { PostgresPool } from "../postgres/postgres-pool.ts";

/** Tables that have rows even in a database that no process has used. */
const HEADS: ReadonlySet<string> = new Set([
  "feed_head",
  "kysely_migration",
  "kysely_migration_lock",
  "ledger_head",
  "request_log_head",
  "usage_rolled",
]);

const LIST = `select table_name::text as name from information_schema.tables
  where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`;

/** The name of a table with rows that a new database does not have, if any. */
export async function findRows(on: Pick<PostgresPool, "query">): Promise<string | undefined> {
  for (const { name } of await on.query<{ name: string }>(LIST)) {
    if (HEADS.has(name)) continue;
    const [found] = await on.query(`select 1 from "${name.replaceAll('"', '""')}" limit 1`);
    if (found) return name;
  }
  return undefined;
}
