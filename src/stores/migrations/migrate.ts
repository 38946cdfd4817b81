import { dirname } from "node:path";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { CannotMigrate, usedByNewerVersion } from "../cannot-migrate.ts";
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
import * as repairSchema from "./0012-repair-schema.ts";
import * as recountSpending from "./0013-recount-spending.ts";
import * as costVersion from "./0014-cost-version.ts";
import * as instances from "./0015-instances.ts";

/** By name, which is their order. A landed migration is never edited: `checksums.json` has a checksum of each. */
export const MIGRATIONS = {
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
  "0012-repair-schema": repairSchema,
  "0013-recount-spending": recountSpending,
  "0014-cost-version": costVersion,
  "0015-instances": instances,
};

/** Brings the tables up to date, each step once. Throws `CannotMigrate`, with nothing changed, where that cannot be done. */
export async function migrate(database: Database): Promise<void> {
  const applied = await appliedMigrations(database);
  const unknown = applied.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length > 0) throw usedByNewerVersion(await folderOf(database), unknown.join(", "));
  if (applied.length === Object.keys(MIGRATIONS).length) return;
  const provider = { getMigrations: async () => MIGRATIONS };
  // Unordered: 0004, 0005 and 0009 landed after later ones, so earlier versions have left folders that lack only these.
  const migrator = new Migrator({ db: database, provider, allowUnorderedMigrations: true });
  const { error, results } = await migrator.migrateToLatest();
  if (!error) return;
  const failed = results?.find(({ status }) => status === "Error")?.migrationName ?? "a migration";
  const { message: reason } = error as Error;
  const message = `the data in ${await folderOf(database)} could not be migrated, and is unchanged: ${failed} failed: ${reason}`;
  throw new CannotMigrate(message, { cause: error });
}

async function appliedMigrations(database: Database): Promise<string[]> {
  const { rows: tables } = await sql`select 1 from sqlite_schema where name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  return rows.map(({ name }) => name);
}

async function folderOf(database: Database): Promise<string> {
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list where name = 'main'`.execute(database);
  return dirname(rows[0]!.file);
}
