import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { MAX_QUEUED } from "../request-queue.ts";
import { DAY_TABLES } from "./day-tables.ts";

const TODAY = "2027-01-31.db";

let log: LogInFolder;
beforeEach(() => {
  log = new LogInFolder();
});
afterEach(() => log.remove());

const today = (): string => join(log.folder, TODAY);

/** Waits until all noted requests are written. */
async function allWritten(): Promise<void> {
  await eventually(
    () => log.store.state(),
    ({ queued, failure }) => queued === 0 && failure === undefined,
  );
}

/** Waits until the log has detected that it cannot be written, and returns the failure. */
async function inTrouble(): Promise<string> {
  return (await eventually(
    () => log.store.state().failure,
    (failure) => failure !== undefined,
  ))!;
}

test("queues requests while the folder cannot be created, and writes them later", async () => {
  writeFileSync(log.folder, "a file in its place");
  const noted = log.noteMany(3);
  expect(await inTrouble()).toMatch(/EEXIST|ENOTDIR|not a directory/i);
  noted.push(...log.noteMany(2));
  expect(log.store.list({}, undefined, "older", 10)).rejects.toMatchObject({ code: "overloaded" });
  rmSync(log.folder);
  await allWritten();
  expect(await log.ids()).toEqual(noted);
  expect(log.reports).toEqual([expect.any(String), undefined]);
});

test("bounds the queue while the log cannot be written, counts dropped requests, and recovers", async () => {
  writeFileSync(log.folder, "");
  const noted = log.noteMany(MAX_QUEUED + 123);
  await inTrouble();
  log.noteMany(77);
  expect(log.store.state()).toMatchObject({ queued: MAX_QUEUED, written: 0, dropped: 200, drops: { queue_full: 200 } });
  rmSync(log.folder);
  await allWritten();
  const after = log.noteMany(1);
  expect(await log.ids()).toEqual([...noted.slice(0, MAX_QUEUED), ...after]);
  expect(log.store.state()).toMatchObject({ queued: 0, written: MAX_QUEUED + 1, dropped: 200, failure: undefined });
});

test("loses nothing while another process has locked the file, which stays readable", async () => {
  const noted = log.noteMany(2);
  await log.ids();
  const other = new Database(today());
  other.run("begin exclusive");
  noted.push(...log.noteMany(2));
  expect(await inTrouble()).toContain("locked");
  expect(await log.ids()).toEqual(noted.slice(0, 2));
  other.close();
  await allWritten();
  expect(await log.ids()).toEqual(noted);
  expect(log.reports).toEqual([expect.stringContaining("locked"), undefined]);
});

test.each([0, 1, 500])("does not repeat a commit that reported an error and was durable, with %d new requests", async (newcomers) => {
  const noted = log.noteMany(2);
  await log.ids();
  const other = new Database(today());
  other.run("begin exclusive");
  noted.push(...log.noteMany(3));
  await inTrouble();
  for (const id of noted.slice(2)) {
    other.run("create temp table one as select * from requests order by row desc limit 1");
    other.run("update one set row = row + 1, id = unhex(?, '-')", [id.slice("req_".length)]);
    other.run("insert into requests select * from one");
    other.run("drop table one");
  }
  noted.push(...log.noteMany(newcomers));
  other.run("commit");
  other.close();
  log.store.backgroundTask.runSlice(1);
  await allWritten();
  expect(await log.ids()).toEqual(noted);
  expect(log.store.state().written).toBe(noted.length);
});

test("writes at most as many requests in one turn as a retry includes", async () => {
  const noted = log.noteMany(500);
  log.store.backgroundTask.runSlice(500);
  expect(log.store.state().written).toBe(400);
  expect(await log.ids()).toEqual(noted);
});

test("creates a removed folder again, and earlier positions stay in order", async () => {
  log.noteMany(5);
  const [last] = await log.store.list({}, undefined, "older", 1);
  rmSync(log.folder, { recursive: true });
  log.nowMs += 1000;
  const noted = log.noteMany(2);
  expect(await log.ids()).toEqual(noted);
  const after = await log.store.list({}, last!.position, "newer", 10);
  expect(after.map(({ request }) => request.requestId)).toEqual(noted);
  expect([log.reports, log.damaged]).toEqual([[], []]);
});

test("writes to a file that replaced the open one", async () => {
  log.noteMany(5);
  await log.ids();
  renameSync(today(), join(log.root, "taken"));
  for (const end of ["-wal", "-shm"]) rmSync(`${today()}${end}`, { force: true });
  const noted = log.noteMany(1);
  expect(await log.ids()).toEqual(noted);
});

describe("quarantines a damaged file, and starts a new one:", () => {
  /** Ways to damage a file while no process has it open. */
  const DAMAGE: Record<string, () => void> = {
    "it is not a database": () => writeFileSync(today(), "garbage ".repeat(1000)),
    "it is cut short": () => truncateSync(today(), 5000),
    "its pages are overwritten": () => {
      const bytes = readFileSync(today());
      bytes.fill(0x5a, 4096);
      writeFileSync(today(), bytes);
    },
    "it has other tables": () => {
      rmSync(today());
      const other = new Database(today());
      other.run("create table requests (a)");
      other.close();
    },
  };

  for (const [how, damage] of Object.entries(DAMAGE)) {
    test(`${how}, and it is written to`, async () => {
      log.noteMany(500);
      await log.reopen();
      damage();
      const damaged = readFileSync(today());
      const tables = tablesIn(today());
      const noted = log.noteMany(3);
      expect((await log.ids()).slice(-3)).toEqual(noted);
      expect(log.damaged).toEqual([join(log.folder, "2027-01-31.damaged-1.db")]);
      expect(tablesIn(log.damaged[0]!)).toEqual(tables);
      if (tables.length === 0) expect(readFileSync(log.damaged[0]!).equals(damaged)).toBe(true);
      expect(log.store.state()).toMatchObject({ dropped: 0, failure: undefined });
    });
  }

  test("it is of another day, and read", async () => {
    const [old] = log.note({ endedAtMs: log.nowMs - 86_400_000 });
    const [kept] = log.note({});
    await log.reopen();
    writeFileSync(join(log.folder, "2027-01-30.db"), "garbage ".repeat(1000));
    expect(await log.ids()).toEqual([kept!]);
    expect(await log.store.find(old!)).toBeUndefined();
    expect(log.damaged).toEqual([join(log.folder, "2027-01-30.damaged-1.db")]);
  });

  test("it happens again on the same day, and each has a name of its own", async () => {
    for (const number of [1, 2, 3]) {
      log.noteMany(3);
      await log.reopen();
      writeFileSync(today(), "garbage ".repeat(1000));
      log.noteMany(1);
      await log.ids();
      expect(existsSync(join(log.folder, `2027-01-31.damaged-${number}.db`))).toBe(true);
    }
  });

  test("it is damaged while it is open", async () => {
    log.noteMany(2000);
    await log.ids();
    writeFileSync(today(), "garbage ".repeat(10_000));
    rmSync(`${today()}-wal`);
    await eventually(
      async () => {
        const noted = log.noteMany(10);
        return (await log.ids().catch(() => [])).slice(-10).join() === noted.join() && log.store.state().failure === undefined;
      },
      (isThere) => isThere,
    );
    expect(log.store.state().dropped).toBe(0);
  });
});

test("continues with a file whose creation was killed", async () => {
  mkdirSync(log.folder);
  const half = new Database(today());
  half.run("pragma journal_mode = wal");
  half.run(DAY_TABLES[0]);
  half.close();
  expect(await log.ids()).toEqual([]);
  const noted = log.noteMany(2);
  expect([await log.ids(), log.damaged]).toEqual([noted, []]);
});

test("bounds the number of open files, and closes all of them", async () => {
  log.note(...Array.from({ length: 45 }, (_, at) => ({ endedAtMs: log.nowMs - at * 86_400_000 })).toReversed());
  expect(await log.ids()).toHaveLength(45);
  // A day has up to three files, including SQLite's own, and today's file is open twice.
  expect(openFiles().length).toBeLessThanOrEqual(3 * 34);
  await log.store.close();
  log.noteMany(1);
  log.store.backgroundTask.runSlice(16);
  expect(openFiles()).toEqual([]);
});

/** The tables of a file. Empty if the file cannot be read. */
function tablesIn(path: string): unknown[] {
  const file = new Database(path, { readonly: true });
  try {
    return file.query("select name, sql from sqlite_master").all();
  } catch {
    return [];
  } finally {
    file.close();
  }
}

/** The files of the log that this process has open, if the system lists them. */
function openFiles(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd")
    .map(linkOf)
    .filter((path) => path.startsWith(log.folder));
}

/** Undefined if the descriptor was closed meanwhile. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
