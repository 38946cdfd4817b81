import { dirname } from "node:path";
import { sql } from "kysely";
import { Migrator, type Migration, type MigrationResult } from "kysely/migration";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
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
import * as postgresPlatform from "./0016-postgres-platform.ts";
import * as postgresLedger from "./0017-postgres-ledger.ts";
import * as postgresUsage from "./0018-postgres-usage.ts";
import * as postgresLimits from "./0019-postgres-limits.ts";
import * as postgresRequestLog from "./0020-postgres-request-log.ts";
import * as postgresSettings from "./0021-postgres-settings.ts";
import * as postgresInstanceStatus from "./0022-postgres-instance-status.ts";
import * as postgresClaims from "./0023-postgres-claims.ts";
import * as postgresDeclaredFile from "./0024-postgres-declared-file.ts";
import * as postgresInstanceDurability from "./0025-postgres-instance-durability.ts";
import * as attribution from "./0026-attribution.ts";
import * as postgresUsageCosts from "./0027-postgres-usage-costs.ts";
import * as priceLists from "./0027-price-lists.ts";
import * as usageCosts from "./0027-usage-costs.ts";
import * as showCredit from "./0028-show-credit.ts";
import * as attributionUsage from "./0029-attribution-usage.ts";
import * as postgresAttributionUsage from "./0029-postgres-attribution-usage.ts";
import * as postgresBreakdowns from "./0030-postgres-breakdowns.ts";
import * as attributionTagDays from "./0031-attribution-tag-days.ts";
import * as postgresAttributionCells from "./0031-postgres-attribution-cells.ts";
import * as identities from "./0032-identities.ts";
import * as attributionDays from "./0033-attribution-days.ts";
import * as postgresRequestLogNames from "./0033-postgres-request-log-names.ts";
import * as savedViews from "./0034-saved-views.ts";
import * as archive from "./0035-archive.ts";
import * as alerts from "./0036-alerts.ts";
import * as creditLine from "./0037-credit-line.ts";
import * as importedKeys from "./0038-imported-keys.ts";
import * as postgresExports from "./0039-postgres-exports.ts";
import * as discoveredModels from "./0040-discovered-models.ts";
import * as importSources from "./0041-import-sources.ts";
import * as postgresLimitHandovers from "./0042-postgres-limit-handovers.ts";
import { createTables } from "./create-tables.ts";

/**
 * The migrations of SQLite, by name, which is their order. PostgreSQL begins with the tables that the first fifteen lead to; from then on a
 * migration is for both, unless it is about tables that only one of them has. A landed migration is never edited: `checksums.json` has a
 * checksum of each.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
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
  "0026-attribution": attribution,
  "0027-price-lists": priceLists,
  "0027-usage-costs": usageCosts,
  "0028-show-credit": showCredit,
  "0029-attribution-usage": attributionUsage,
  "0031-attribution-tag-days": attributionTagDays,
  "0032-identities": identities,
  "0033-attribution-days": attributionDays,
  "0034-saved-views": savedViews,
  "0035-archive": archive,
  "0036-alerts": alerts,
  "0037-credit-line": creditLine,
  "0038-imported-keys": importedKeys,
  "0040-discovered-models": discoveredModels,
  "0041-import-sources": importSources,
};

/** The migrations of PostgreSQL. */
export const POSTGRES_MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0016-postgres-platform": postgresPlatform,
  "0017-postgres-ledger": postgresLedger,
  "0018-postgres-usage": postgresUsage,
  "0019-postgres-limits": postgresLimits,
  "0020-postgres-request-log": postgresRequestLog,
  "0021-postgres-settings": postgresSettings,
  "0022-postgres-instance-status": postgresInstanceStatus,
  "0023-postgres-claims": postgresClaims,
  "0024-postgres-declared-file": postgresDeclaredFile,
  "0025-postgres-instance-durability": postgresInstanceDurability,
  "0026-attribution": attribution,
  "0027-postgres-usage-costs": postgresUsageCosts,
  "0027-price-lists": priceLists,
  "0028-show-credit": showCredit,
  "0029-postgres-attribution-usage": postgresAttributionUsage,
  "0030-postgres-breakdowns": postgresBreakdowns,
  "0031-postgres-attribution-cells": postgresAttributionCells,
  "0032-identities": identities,
  "0033-attribution-days": attributionDays,
  "0033-postgres-request-log-names": postgresRequestLogNames,
  "0034-saved-views": savedViews,
  "0035-archive": archive,
  "0036-alerts": alerts,
  "0037-credit-line": creditLine,
  "0038-imported-keys": importedKeys,
  "0039-postgres-exports": postgresExports,
  "0040-discovered-models": discoveredModels,
  "0041-import-sources": importSources,
  "0042-postgres-limit-handovers": postgresLimitHandovers,
};

/**
 * Brings the tables up to date, each step once. Returns the migrations that an older schema lacked; none for new tables. Throws `CannotMigrate`, with
 * nothing changed, where that cannot be done.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const applied = await appliedMigrations(database);
  const unknown = applied.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length > 0) throw usedByNewerVersion(await folderOf(database), unknown.join(", "));
  if (applied.length === Object.keys(MIGRATIONS).length) return [];
  if (await isEmpty(database)) {
    const [created] = await Promise.allSettled([createTables(database, Object.keys(MIGRATIONS))]);
    if (created.status === "rejected") throw await cannotMigrate(database, "creating the tables", created.reason);
    return [];
  }
  return runMigrations(database);
}

/** Runs the migrations that the tables lack, one after another. */
export async function runMigrations(database: Database): Promise<readonly string[]> {
  const applied = await appliedMigrations(database);
  const provider = { getMigrations: async () => MIGRATIONS };
  // Unordered: 0004, 0005 and 0009 landed after later ones, so earlier versions have left folders that lack only these.
  const migrator = new Migrator({ db: database, provider, allowUnorderedMigrations: true });
  const { error, results } = await migrator.migrateToLatest();
  if (!error) return applied.length === 0 ? [] : namesIn(results);
  const failed = results?.find(({ status }) => status === "Error")?.migrationName ?? "a migration";
  throw await cannotMigrate(database, failed, error);
}

async function cannotMigrate(database: Database, failed: string, error: unknown): Promise<CannotMigrate> {
  const { message: reason } = error as Error;
  const message = `the data in ${await folderOf(database)} could not be migrated, and is unchanged: ${failed} failed: ${reason}`;
  return new CannotMigrate(message, { cause: error });
}

/**
 * Brings the tables in PostgreSQL up to date. Processes that start at the same time wait for each other. Migrations of a newer version stay as
 * they are: during a rolling upgrade both versions run, and a migration leaves the tables usable for the previous one. Returns the migrations
 * that an older schema lacked; none for new tables. Throws `StorageUnavailable` and `CannotMigrate`, with nothing changed.
 */
export async function migratePostgres(database: Database, migrations = POSTGRES_MIGRATIONS): Promise<readonly string[]> {
  const applied = await appliedInPostgres(database).catch((error: unknown) => {
    throw notMigrated(error, "reading the applied migrations");
  });
  // Kysely would read the columns of every table and partition twice, only to find its own two tables.
  if (Object.keys(migrations).every((name) => applied.includes(name))) return [];
  const bounded = Object.fromEntries(Object.entries(migrations).map(([name, migration]) => [name, withLockTimeout(migration)]));
  const provider = { getMigrations: async () => ({ ...bounded, ...(await newerMigrations(database, migrations)) }) };
  const { error, results } = await new Migrator({ db: database, provider }).migrateToLatest();
  const [first] = Object.keys(migrations);
  if (!error) return results?.[0]?.migrationName === first ? [] : namesIn(results);
  throw notMigrated(error, results?.find(({ status }) => status === "Error")?.migrationName ?? "a migration");
}

function notMigrated(error: unknown, failed: string): Error {
  if (error instanceof StorageUnavailable) return error;
  const message = `the database could not be migrated, and is unchanged: ${failed} failed: ${(error as Error).message}`;
  return new CannotMigrate(message, { cause: error });
}

function namesIn(results: readonly MigrationResult[] | undefined): readonly string[] {
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** Statements of running processes queue behind one that waits for the lock of a table, for example until a backup has ended. */
function withLockTimeout(migration: Migration): Migration {
  return {
    async up(database) {
      await sql`set local lock_timeout = '3s'`.execute(database);
      await migration.up(database);
    },
  };
}

/** Kysely demands to know every migration that was applied. */
async function newerMigrations(database: Database, migrations: typeof POSTGRES_MIGRATIONS): Promise<Record<string, Migration>> {
  const newer = (await appliedInPostgres(database)).filter((name) => !Object.hasOwn(migrations, name));
  return Object.fromEntries(newer.map((name) => [name, { up: async () => undefined }]));
}

async function appliedInPostgres(database: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string | null }>`select to_regclass('kysely_migration')::text as name`.execute(database);
  if (!tables[0]?.name) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database);
  return rows.map(({ name }) => name);
}

async function appliedMigrations(database: Database): Promise<string[]> {
  const { rows: tables } = await sql`select 1 from sqlite_schema where name = 'kysely_migration'`.execute(database);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  return rows.map(({ name }) => name);
}

async function isEmpty(database: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_schema limit 1`.execute(database);
  return rows.length === 0;
}

async function folderOf(database: Database): Promise<string> {
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list where name = 'main'`.execute(database);
  return dirname(rows[0]!.file);
}
