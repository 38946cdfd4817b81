import { dirname } from "node:path";
import { sql } from "kysely";
import { Migrator, type Migration, type MigrationResult } from "kysely/migration";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import { CannotMigrate, usedByNewerVersion, writtenBeforeFirstRelease } from "../cannot-migrate.ts";
import type { Database } from "../database.ts";
import { upPostgres, upSqlite } from "./0001-first-release.ts";
import { up as addPremiumUse } from "./0002-premium-use.ts";

/** Migrations by name. They are applied in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** The first migration, with the tables of the first release. */
const FIRST_RELEASE = "0001-first-release";

/**
 * The migrations of SQLite. A migration is for both databases, unless only one of them has the table. A released migration is never edited:
 * `checksums.json` has a checksum of each migration.
 */
export const MIGRATIONS: Migrations = {
  [FIRST_RELEASE]: { up: upSqlite },
  "0002-premium-use": { up: addPremiumUse },
};

/** The migrations of PostgreSQL. */
export const POSTGRES_MIGRATIONS: Migrations = {
  [FIRST_RELEASE]: { up: upPostgres },
  "0002-premium-use": { up: addPremiumUse },
};

/**
 * Throws `CannotMigrate` if these migrations were applied before the first release. `where`: the folder, database or backup with the
 * tables.
 */
export function refuseBeforeFirstRelease(applied: readonly string[], where: string): void {
  if (applied.length > 0 && !applied.includes(FIRST_RELEASE)) throw writtenBeforeFirstRelease(where);
}

/**
 * Migrates the tables, each step once. Returns the migrations that an older schema lacked; none for new tables. If that is impossible,
 * throws `CannotMigrate`, with nothing changed.
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<readonly string[]> {
  const applied = await appliedMigrations(database);
  refuseBeforeFirstRelease(applied, `the data in ${await folderOf(database)}`);
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) throw usedByNewerVersion(await folderOf(database), unknown.join(", "));
  if (applied.length === Object.keys(migrations).length) return [];
  if (await isEmpty(database)) {
    const [created] = await Promise.allSettled([createTables(database, migrations)]);
    if (created.status === "rejected") throw await cannotMigrate(database, "creating the tables", created.reason);
    return [];
  }
  return runMigrations(database, migrations);
}

/** The migrator's two tables, with the same definitions that it uses. */
const MIGRATOR_TABLES = [
  'create table "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)',
  'create table "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)',
];

/**
 * Runs all migrations on an empty database. The migrator would take twice the CPU time: it reads the columns of every table only to find
 * its own two tables.
 */
async function createTables(database: Database, migrations: Migrations): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for (const migration of Object.values(migrations)) await migration.up(transaction);
    for (const statement of MIGRATOR_TABLES) await sql.raw(statement).execute(transaction);
    const timestamp = new Date().toISOString();
    const applied = sql.join(Object.keys(migrations).map((name) => sql`(${name}, ${timestamp})`));
    await sql`insert into kysely_migration (name, timestamp) values ${applied}`.execute(transaction);
    await sql`insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)`.execute(transaction);
  });
}

/** Runs the migrations that the tables lack, one after another. */
export async function runMigrations(database: Database, migrations = MIGRATIONS): Promise<readonly string[]> {
  const applied = await appliedMigrations(database);
  const { error, results } = await new Migrator({ db: database, provider: { getMigrations: async () => migrations } }).migrateToLatest();
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
 * Migrates the tables in PostgreSQL. Processes that start at the same time wait for each other. Migrations of a newer version stay: during
 * a rolling upgrade both versions run, and a migration leaves the tables usable for the previous version. Returns the migrations that an
 * older schema lacked; none for new tables. Throws `StorageUnavailable` and `CannotMigrate`, with nothing changed.
 */
export async function migratePostgres(database: Database, migrations = POSTGRES_MIGRATIONS): Promise<readonly string[]> {
  const applied = await appliedInPostgres(database).catch((error: unknown) => {
    throw notMigrated(error, "reading the applied migrations");
  });
  refuseBeforeFirstRelease(applied, "the database");
  // Otherwise Kysely would read the columns of every table and partition twice, only to find its own two tables.
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

/** Statements of running processes queue behind a migration that waits for the lock of a table, for example until a backup has ended. */
function withLockTimeout(migration: Migration): Migration {
  return {
    async up(database) {
      await sql`set local lock_timeout = '3s'`.execute(database);
      await migration.up(database);
    },
  };
}

/** Kysely requires every applied migration to be known. */
async function newerMigrations(database: Database, migrations: Migrations): Promise<Record<string, Migration>> {
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
