/** Writes the statements that create the tables of SQLite, as all migrations leave them. A test fails when they are out of date. */
import { Database as SqliteFile } from "bun:sqlite";
import { sql } from "kysely";
import { runMigrations } from "../src/stores/migrations/migrate.ts";
import { SqliteDatabase } from "../src/stores/sqlite/sqlite-database.ts";

const FILE = new URL("../src/stores/migrations/schema.json", import.meta.url);

const database = new SqliteDatabase(new SqliteFile(":memory:"));
await runMigrations(database);
// Indexes of primary keys and unique columns have no statement.
const { rows } = await sql<{ sql: string }>`
  select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid`.execute(database);
await Bun.write(
  FILE,
  `${JSON.stringify(
    rows.map((row) => row.sql),
    undefined,
    2,
  )}\n`,
);
await database.destroy();
