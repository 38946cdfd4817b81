import { afterEach, beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../../test/support/eventually.ts";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { expectStatistics } from "../../../../test/request-log/plain-statistics.ts";
import type { RequestStatisticsQuery } from "../request-log-store.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let log: LogInFolder;
beforeEach(() => {
  log = new LogInFolder();
});
afterEach(() => log.remove());

const today = (): string => join(log.folder, "2027-01-31.db");
const from = (days: number): RequestStatisticsQuery => ({ bounds: [log.nowMs - days * DAY_MS, log.nowMs + DAY_MS] });

/** Notes requests of every kind over several hours. */
function noteSome(count: number, beginMs = log.nowMs): void {
  const sketches = Array.from({ length: count }, (_, at) => ({
    endedAtMs: beginMs + at * 5000,
    status: at % 9 === 0 ? 429 : 200,
    notes: { accountId: `a-${at % 40}`, requestedModel: `m-${at % 50}`, code: at % 9 === 0 ? "rate_limit_exceeded" : undefined },
  }));
  log.note(...sketches);
}

async function expectSound(of: LogInFolder, asked: RequestStatisticsQuery): Promise<void> {
  const requests = (await of.store.list({}, undefined, "newer", 100_000)).map(({ request }) => request);
  for (const filter of [{}, { accountId: "a-3" }, { model: "m-7" }, { accountId: "a-7", model: "m-7" }]) {
    const question = { ...asked, ...filter };
    expectStatistics(await of.store.statistics(question), requests, question);
  }
}

/** The sums that a day's file contains, read only from the file. */
function sumsIn(path: string): { sums: number; end_row: number | null; last_row: number } {
  const file = new Database(path, { readonly: true });
  try {
    const sql = "select (select count(*) from sums) as sums, (select end_row from summed) as end_row, max(row) as last_row from requests";
    return file.query<{ sums: number; end_row: number | null; last_row: number }, []>(sql).get()!;
  } finally {
    file.close();
  }
}

/** The number of files on which this process holds SQLite's shared lock, according to Linux. */
function sharedLocks(): number {
  const lines = readFileSync("/proc/locks", "utf8").split("\n");
  return lines.filter((line) => line.includes(` READ ${process.pid} `) && line.includes(" 1073741826 ")).length;
}

test("backfills rows that a crash left without sums, once, with the next write or query", async () => {
  noteSome(3000);
  await log.ids();
  const crashed = new LogInFolder();
  try {
    cpSync(log.folder, crashed.folder, { recursive: true });
    const { end_row: endRow, last_row: lastRow } = sumsIn(join(crashed.folder, "2027-01-31.db"));
    expect(endRow).toBeGreaterThan(0);
    expect(endRow).toBeLessThanOrEqual(lastRow);
    await expectSound(crashed, from(1));
    crashed.note({ endedAtMs: log.nowMs + 3000 * 5000 });
    await expectSound(crashed, from(1));
    await crashed.reopen();
    await expectSound(crashed, from(1));
  } finally {
    await crashed.remove();
  }
});

test("backfills a file without sums in slices, while requests are served", async () => {
  const yesterdayMs = log.nowMs - DAY_MS;
  noteSome(6000, yesterdayMs - 2 * HOUR_MS);
  noteSome(1500);
  await log.store.close();
  for (const name of ["2027-01-30.db", "2027-01-31.db"]) {
    const file = new Database(join(log.folder, name));
    for (const table of ["sums", "summed"]) file.run(`drop table ${table}`);
    file.close();
  }
  await log.reopen();
  const asked = log.store.statistics(from(3));
  const later = log.noteMany(5);
  expect((await asked).total.requests).toBeGreaterThanOrEqual(7500);
  expect(await log.ids()).toEqual(expect.arrayContaining(later));
  await expectSound(log, from(3));
  const { sums, end_row: endRow, last_row: lastRow } = sumsIn(join(log.folder, "2027-01-30.db"));
  expect(sums).toBeGreaterThan(0);
  expect(endRow).toBe(lastRow + 1);
});

test.skipIf(process.platform !== "linux")("a day that is open for reading stays locked during a backfill", async () => {
  noteSome(20, log.nowMs - DAY_MS);
  await log.store.close();
  const yesterday = new Database(join(log.folder, "2027-01-30.db"));
  for (const table of ["sums", "summed"]) yesterday.run(`drop table ${table}`);
  yesterday.close();
  const before = sharedLocks();
  await log.reopen();
  await log.ids();
  expect(sharedLocks()).toBe(before + 1);
  expect((await log.store.statistics(from(3))).total.requests).toBe(20);
  expect(sharedLocks()).toBe(before + 1);
});

test("a clean shutdown leaves nothing to backfill", async () => {
  noteSome(10);
  await log.reopen();
  const { end_row: endRow, last_row: lastRow } = sumsIn(today());
  expect(endRow).toBe(lastRow + 1);
});

test("rejects queries after a failed write until the file can be written, instead of returning wrong sums", async () => {
  noteSome(500);
  await log.ids();
  const other = new Database(today());
  other.run("begin exclusive");
  log.noteMany(3);
  const refusal: unknown = await log.store.statistics(from(1)).catch((error: unknown) => error);
  other.close();
  expect(refusal).toMatchObject({ code: "overloaded" });
  // The write is repeated after a while, and a list only returns requests that are in the file.
  await eventually(
    () => log.ids(),
    (ids) => ids.length === 503,
  );
  await expectSound(log, from(1));
});

test("a failed write of due sums counts nothing twice", async () => {
  noteSome(50);
  await log.reopen();
  noteSome(50);
  await log.ids();
  const other = new Database(today());
  other.run("create trigger refuse before insert on requests when new.model = 'bad' begin select raise(abort, 'no'); end");
  log.note({ endedAtMs: log.nowMs + HOUR_MS, notes: { requestedModel: "bad" } });
  await log.ids();
  expect(log.store.state().failure).toBe("no");
  other.run("drop trigger refuse");
  other.close();
  await expectSound(log, from(1));
});

test("quarantines a damaged day, and reads the others", async () => {
  noteSome(20, log.nowMs - DAY_MS);
  noteSome(10);
  await log.reopen();
  writeFileSync(join(log.folder, "2027-01-30.db"), "garbage ".repeat(1000));
  expect((await log.store.statistics(from(3))).total.requests).toBe(10);
  expect(log.damaged).toEqual([join(log.folder, "2027-01-30.damaged-1.db")]);
  await expectSound(log, from(3));
});

test("writes the sums of many accounts and models before their quarter hour is over, and adds to them later", async () => {
  for (let round = 0; round < 4; round++) {
    log.note(...Array.from({ length: 1500 }, (_, at) => ({ notes: { accountId: `a-${at}`, requestedModel: `m-${round}` } })));
  }
  await log.ids();
  expect(sumsIn(today()).sums).toBeGreaterThan(2000);
  await expectSound(log, from(1));
});

test("bounds the pending sums to a few hundred pairs of account and model", async () => {
  log.note(...Array.from({ length: 200 }, (_, at) => ({ notes: { requestedModel: `made-up-${at}` } })));
  await log.ids();
  expect(sumsIn(today()).sums).toBe(0);
  log.noteMany(1);
  await log.ids();
  expect(sumsIn(today()).sums).toBeGreaterThan(200);
  await expectSound(log, from(1));
});
