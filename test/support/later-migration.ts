import { sql, type Kysely } from "kysely";
import type { Migrations } from "../../src/stores/migrations/migrate.ts";

/** A name for a migration that no version has. */
export const LATER = "9999-later";

/**
 * Runs `work` in this process as if in a later version, which has one more migration. Data without that migration is from an earlier
 * version.
 */
export async function inLaterVersion<Result>(migrations: Migrations, work: () => Promise<Result>): Promise<Result> {
  const all = migrations as Record<string, Migrations[string]>;
  all[LATER] = { up };
  try {
    return await work();
  } finally {
    delete all[LATER];
  }
}

async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table keys add column added_later text`.execute(database);
  await sql`create table added_later (id text primary key)`.execute(database);
}
