import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database as SqliteFile } from "bun:sqlite";
import { openSqlite, openSqliteWriter } from "../../sqlite/sqlite-database.ts";
import { migrate } from "../../migrations/migrate.ts";
import { WriteProbe } from "./write-probe.ts";

let folder: string;
let path: string;
let file: SqliteFile;
let nowMs: number;
let probe: WriteProbe;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-probe-"));
  path = join(folder, "tollgate.db");
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  file = openSqliteWriter(path, "process");
  nowMs = 0;
  probe = new WriteProbe(file, () => nowMs);
});

afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

const walBytes = (): number => statSync(`${path}-wal`).size;

test("writes pages to the disk, leaves no row, and holds no lock", () => {
  file.query("select * from progress").all();
  const before = walBytes();
  expect(probe.failure()).toBeUndefined();
  expect(walBytes()).toBeGreaterThan(before);
  expect(file.query("select * from progress").all()).toEqual([]);
  const other = openSqliteWriter(path, "process");
  other.run("begin immediate");
  other.run("rollback");
  other.close();
});

test("detects a lock and its end, and writes at most once a second", () => {
  expect(probe.failure()).toBeUndefined();
  const other = openSqliteWriter(path, "process");
  other.run("begin immediate");
  nowMs = 999;
  expect(probe.failure()).toBeUndefined();
  nowMs = 1000;
  expect(probe.failure()).toBe("database is locked");
  other.run("rollback");
  other.close();
  const before = walBytes();
  nowMs = 1999;
  expect([probe.failure(), walBytes()]).toEqual(["database is locked", before]);
  nowMs = 2000;
  expect(probe.failure()).toBeUndefined();
});
