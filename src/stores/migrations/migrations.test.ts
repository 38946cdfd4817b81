import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import checksums from "./checksums.json" with { type: "json" };
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { migrate, MIGRATIONS, POSTGRES_MIGRATIONS, runMigrations } from "./migrate.ts";

const RULE =
  "Never edit, rename or remove a landed migration: data folders that have run it would keep the schema it created. Add a new one instead.";
const NEW = "A new migration needs a line in migrate.ts, and one with the SHA-256 of its file in checksums.json.";

const names = readdirSync(import.meta.dir)
  .filter((name) => /^\d{4}-.*\.ts$/.test(name))
  .map((name) => name.replace(/\.ts$/, ""))
  .toSorted();

test("landed migrations are unchanged", () => {
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

/** Every table, index and trigger with its statement, and every row, but for the time. */
async function contentsAfter(prepare: (database: Database) => Promise<unknown>): Promise<unknown> {
  const database = new SqliteDatabase(new SqliteFile(":memory:"));
  await prepare(database);
  const { rows: parts } = await sql<{ type: string; name: string }>`
    select type, name, tbl_name, sql from sqlite_schema order by type, name`.execute(database);
  const tables = parts.filter(({ type }) => type === "table");
  const contents = await Promise.all(
    tables.map(({ name }) => sql<{ timestamp?: string }>`select * from ${sql.table(name)}`.execute(database)),
  );
  await database.destroy();
  return [parts, contents.map(({ rows }) => rows.map(({ timestamp: _time, ...row }) => row))];
}

test("a new database has the tables that all migrations lead to", async () => {
  const created = await contentsAfter(migrate);
  expect(created, "Run `npm run schema`.").toEqual(await contentsAfter(runMigrations));
});
