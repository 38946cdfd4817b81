import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import checksums from "./checksums.json" with { type: "json" };
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { CannotMigrate } from "../cannot-migrate.ts";
import type { Database } from "../database.ts";
import { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { migrate, MIGRATIONS, POSTGRES_MIGRATIONS, runMigrations } from "./migrate.ts";

const RULE =
  "Never edit, rename or remove a released migration: data that has run it would keep the schema it created. Add a new one instead.";
const NEW = "A new migration needs a line in migrate.ts, and one with the SHA-256 of its file in checksums.json.";

const names = readdirSync(import.meta.dir)
  .filter((name) => /^\d{4}-.*\.ts$/.test(name))
  .map((name) => name.replace(/\.ts$/, ""))
  .toSorted();

test("released migrations are unchanged", () => {
  for (const [name, checksum] of Object.entries(checksums)) {
    expect(names, RULE).toContain(name);
    const bytes = readFileSync(join(import.meta.dir, `${name}.ts`));
    expect([name, createHash("sha256").update(bytes).digest("hex")], RULE).toEqual([name, checksum]);
  }
});

test("every migration runs, and has a checksum", () => {
  const all = new Set([...Object.keys(MIGRATIONS), ...Object.keys(POSTGRES_MIGRATIONS)]);
  expect([...all].toSorted(), NEW).toEqual(names);
  expect(Object.keys(checksums), NEW).toEqual(names);
});

/** Every table, index and trigger with its statement, and every row, without the times. */
async function contentsAfter(prepare: (database: Database) => Promise<unknown>): Promise<unknown> {
  const database = new SqliteDatabase(new SqliteFile(":memory:"));
  await prepare(database);
  const contents = await contentsOf(database);
  await database.destroy();
  return contents;
}

async function contentsOf(database: Database): Promise<unknown> {
  const { rows: parts } = await sql<{ type: string; name: string }>`
    select type, name, tbl_name, sql from sqlite_schema order by type, name`.execute(database);
  const tables = parts.filter(({ type }) => type === "table");
  const contents = await Promise.all(
    tables.map(({ name }) => sql<{ timestamp?: string }>`select * from ${sql.table(name)}`.execute(database)),
  );
  return [parts, contents.map(({ rows }) => rows.map(({ timestamp: _time, ...row }) => row))];
}

test("a new database has the tables that all migrations lead to", async () => {
  const created = await contentsAfter(migrate);
  expect(created).toEqual(await contentsAfter(runMigrations));
});

const added: Migration = {
  async up(database) {
    await sql`alter table keys add column added_later text`.execute(database);
  },
};

test("the migrations that an older schema lacked are applied once, in order, and returned; a new database lacks none", async () => {
  const later = { ...MIGRATIONS, "9998-added": added, "9999-nothing": { up: async () => undefined } };
  const database = new SqliteDatabase(new SqliteFile(":memory:"));
  expect(await migrate(database)).toEqual([]);
  await sql`insert into keys (id, name, hash, settings, created_at_ms) values ('k', 'n', 'h', '{}', 0)`.execute(database);
  expect(await migrate(database, later)).toEqual(["9998-added", "9999-nothing"]);
  expect(await migrate(database, later)).toEqual([]);
  const { rows } = await sql`select id, name, added_later from keys`.execute(database);
  expect(rows).toEqual([{ id: "k", name: "n", added_later: null }]);
  await database.destroy();
  const created = new SqliteDatabase(new SqliteFile(":memory:"));
  expect(await migrate(created, later)).toEqual([]);
  await created.destroy();
});

test("a migration that fails is named, and nothing of it or of those before it stays", async () => {
  const fails: Migration = {
    async up(database) {
      await sql`alter table keys add column added_later text`.execute(database);
    },
  };
  const database = new SqliteDatabase(new SqliteFile(":memory:"));
  await migrate(database);
  const before = await contentsOf(database);
  const error = await migrate(database, { ...MIGRATIONS, "9998-added": added, "9999-fails": fails }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CannotMigrate);
  expect(String(error)).toEndWith("could not be migrated, and is unchanged: 9999-fails failed: duplicate column name: added_later");
  expect(await contentsOf(database)).toEqual(before);
  await database.destroy();
});
