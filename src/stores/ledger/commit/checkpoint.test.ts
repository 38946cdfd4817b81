import { afterEach, beforeEach, expect, test } from "bun:test";
import { Database as SqliteFile, type Statement } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { grant } from "../../../../test/support/money/ledger-samples.ts";
import { STORE_OPTIONS } from "../../../../test/support/gateway/store-options.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { openSqliteWriter } from "../../sqlite/sqlite-database.ts";
import { openStores } from "../../open-stores.ts";
import { Checkpoint } from "./checkpoint.ts";

/** The number of commits between two checkpoints. */
const ENOUGH = 512;

let folder: string;
let path: string;
let file: SqliteFile;
let checkpoint: Checkpoint;
let rows: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-checkpoint-"));
  path = join(folder, "tollgate.db");
  file = new SqliteFile(path);
  file.run("pragma journal_mode = wal");
  file.run("create table entries (id integer primary key, words text)");
  file.run("create index by_words on entries (words)");
  file.close();
  file = openSqliteWriter(path, "process");
  checkpoint = new Checkpoint(path);
  rows = 0;
});

afterEach(async () => {
  await checkpoint.close();
  file.close();
  rmSync(folder, { recursive: true });
});

/** Commits like the ledger: adds a row at any place of the index, and notifies the checkpoint. */
function commit(): void {
  rows++;
  file.run("insert into entries values (?, ?)", [rows, `${Bun.hash(String(rows))} and some words that take room`]);
  checkpoint.committed();
}

function commits(count: number): void {
  for (let left = count; left > 0; left--) commit();
}

const over = (): Promise<boolean> =>
  eventually(
    () => checkpoint.isRunning,
    (isRunning) => !isRunning,
    { everyMs: 5 },
  );

/** The number of rows in the database file without its WAL. */
function rowsInFile(): number {
  const copy = join(folder, "copy.db");
  writeFileSync(copy, readFileSync(path));
  const opened = new SqliteFile(copy);
  expect(opened.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  const { count } = opened.query<{ count: number }, []>("select count(*) as count from entries").get()!;
  opened.close();
  return count;
}

test("checkpoints the WAL after 512 commits, and SQLite restarts it", async () => {
  commits(ENOUGH - 1);
  expect([checkpoint.isRunning, rowsInFile()]).toEqual([false, 0]);
  commit();
  expect(checkpoint.isRunning).toBe(true);
  await over();
  expect(rowsInFile()).toBe(ENOUGH);
  const { size } = statSync(`${path}-wal`);
  for (let time = 0; time < 5; time++) {
    commits(ENOUGH);
    await over();
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(size * 2);
  expect(rowsInFile()).toBe(6 * ENOUGH);
});

test("commits during a checkpoint are copied by the next one", async () => {
  commits(ENOUGH + 10);
  await over();
  commits(ENOUGH - 10);
  await over();
  expect(rowsInFile()).toBe(2 * ENOUGH);
});

test("a checkpoint does not block a writer, except for the moment in which its connection is opened", async () => {
  file.run("pragma busy_timeout = 0");
  const begin = file.query("begin immediate");
  const end = file.query("commit");
  let blockedRounds = 0;
  for (let round = 0; round < 100; round++) {
    let isBlocked = false;
    for (let left = ENOUGH; left > 0; left--) {
      while (!isBegun(begin)) isBlocked = true;
      commit();
      end.run();
    }
    if (isBlocked) blockedRounds++;
    await nextTurn();
  }
  await over();
  expect(file.query("select count(*) as count from entries").get()).toEqual({ count: 100 * ENOUGH });
  // A checkpoint that holds the write lock blocks about every fourth round.
  expect(blockedRounds).toBeLessThan(10);
});

function isBegun(begin: Statement): boolean {
  try {
    begin.run();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "SQLITE_BUSY" });
    return false;
  }
}

test("creates no file for a missing database, and runs the next checkpoint", async () => {
  const elsewhere = join(folder, "elsewhere.db");
  const another = new Checkpoint(elsewhere);
  for (let time = 0; time < 2; time++) {
    for (let left = ENOUGH; left > 0; left--) another.committed();
    expect(another.isRunning).toBe(true);
    await eventually(
      () => another.isRunning,
      (isRunning) => !isRunning,
    );
  }
  await another.close();
  expect(existsSync(elsewhere)).toBe(false);
});

test("close waits for a running checkpoint, and the last connection removes the WAL", async () => {
  commits(ENOUGH);
  await checkpoint.close();
  expect([checkpoint.isRunning, rowsInFile()]).toEqual([false, ENOUGH]);
  file.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("the ledger of a gateway checkpoints the WAL", async () => {
  const dataFolder = join(folder, "data");
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder });
  for (let at = 1; at < ENOUGH; at++) await stores.ledgerRecords.addCredit(grant(1n, { reference: `invoice ${at}` }));
  await stores.ledgerRecords.addCredit(grant(1n, { reference: "the last one" }));
  await eventually(
    () => readFileSync(join(dataFolder, "tollgate.db")).includes("the last one"),
    (isThere) => isThere,
  );
  await stores.close();
});
