import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import type { Database } from "../database.ts";
import * as keys from "./0001-keys.ts";
import * as ledger from "./0002-ledger.ts";
import * as platform from "./0003-platform.ts";
import * as people from "./0004-people.ts";
import * as uses from "./0005-uses.ts";
import * as catalog from "./0006-catalog.ts";
import * as attempts from "./0007-attempts.ts";
import * as upstreamModel from "./0008-upstream-model.ts";
import * as usageRollups from "./0009-usage-rollups.ts";
import * as webhooks from "./0010-webhooks.ts";
import * as logBodies from "./0011-log-bodies.ts";

/** By name, which is their order. */
const MIGRATIONS = {
  "0001-keys": keys,
  "0002-ledger": ledger,
  "0003-platform": platform,
  "0004-people": people,
  "0005-uses": uses,
  "0006-catalog": catalog,
  "0007-attempts": attempts,
  "0008-upstream-model": upstreamModel,
  "0009-usage-rollups": usageRollups,
  "0010-webhooks": webhooks,
  "0011-log-bodies": logBodies,
};

/** Brings the tables up to date, in order, each step once. */
export async function migrate(database: Database): Promise<void> {
  if (await isUpToDate(database)) return;
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

async function isUpToDate(database: Database): Promise<boolean> {
  const { rows: tables } = await sql`select 1 from sqlite_schema where name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return false;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  return rows.map(({ name }) => name).join() === Object.keys(MIGRATIONS).join();
}
