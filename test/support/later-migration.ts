import { sql, type Kysely } from "kysely";
import type { Migrations } from "../../src/stores/migrations/migrate.ts";

/** The name of a migration that no version has. */
export const LATER = "9999-later";

/** Runs `work` in this program as in a later version, which has one more migration: data without it is of an earlier version. */
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
