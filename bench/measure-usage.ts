/**
 * Measures usage reports on a ledger of ten million requests over a year: the background aggregation, the duration of each kind of report, and
 * the longest time for which it blocks the event loop.
 *
 *     npm run measure:usage -- 10000000
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UsageReportQuery, UsageReport } from "../src/stores/ledger/ledger-record-store.ts";
import { UsageReader } from "../src/stores/ledger/usage/usage-reader.ts";
import { RollupUpdater } from "../src/stores/ledger/usage/rollup-updater.ts";
import type { Entry } from "../src/money/ledger-entry.ts";
import { openSqliteWriter } from "../src/stores/sqlite/sqlite-database.ts";
import { openStores } from "../src/stores/open-stores.ts";
import { bucketsBetween, type CalendarUnit } from "../src/lib/time/calendar.ts";
import { TimeZone } from "../src/lib/time/time-zone.ts";
import { STORE_OPTIONS } from "../test/support/gateway/store-options.ts";
import { DAY_MS, END, fillLedger, settled } from "./usage/fill-ledger.ts";

const REQUESTS = Number(process.argv[2] ?? 10_000_000);
const LIVE_REQUESTS = 400_000;

const folder = mkdtempSync(join(tmpdir(), "tollgate-usage-"));
const path = join(folder, "tollgate.db");
const options = { ...STORE_OPTIONS, dataFolder: folder, nowMs: () => END };
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const count = (number: number): string => number.toLocaleString("en");

interface Measurement<Result> {
  readonly result: Result;
  readonly ms: number;
  readonly cpuMs: number;
  /** The longest time for which the event loop was blocked. */
  readonly stopMs: number;
}

async function measure<Result>(work: () => Promise<Result>): Promise<Measurement<Result>> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  let [last, stopMs] = [begun, 0];
  const look = (): void => {
    stopMs = Math.max(stopMs, performance.now() - last);
    last = performance.now();
    turn = setImmediate(look);
  };
  let turn = setImmediate(look);
  const result = await work();
  const ms = performance.now() - begun;
  stopMs = Math.max(stopMs, performance.now() - last);
  clearImmediate(turn);
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms, cpuMs: (user + system) / 1000, stopMs };
}

/** The background cost per request under load, with this many accounts and keys, and three models per key. */
async function measureLive(accounts: number, keys: number): Promise<void> {
  const dataFolder = mkdtempSync(join(folder, "live-"));
  await (await openStores({ ...options, dataFolder })).close();
  const file = openSqliteWriter(join(dataFolder, "tollgate.db"), "process");
  const roller = new RollupUpdater(file);
  await roller.read(async () => undefined);
  const groups: Entry[][] = [];
  for (let at = 0; at < LIVE_REQUESTS; at += 16)
    groups.push(Array.from({ length: 16 }, (_, more) => settled(at + more + 1, accounts, keys)));
  const { cpuMs, stopMs } = await measure(async () => {
    for (const group of groups) {
      roller.note(group);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  });
  const idle = await measure(async () => {
    for (let turn = 0; turn < groups.length; turn++) await new Promise((resolve) => void setImmediate(resolve));
  });
  const perRequest = (1000 * (cpuMs - idle.cpuMs)) / LIVE_REQUESTS;
  const report = await measure(() =>
    roller.read(() => new UsageReader(roller.state, { bounds: [0, 2 * END], by: ["key"], limit: 1001 }).report()),
  );
  say(
    `  ${count(accounts)} accounts with ${count(keys)} keys: ${perRequest.toFixed(2)} µs of CPU a request, at most ${stopMs.toFixed(1)} ms at a time; by key ${report.ms.toFixed(0)} ms, at most ${report.stopMs.toFixed(1)} ms at a time`,
  );
  roller.close();
  file.close();
}

say(`In the background, ${count(LIVE_REQUESTS)} requests in traffic`);
for (const accounts of [1, 10, 100, 1000]) await measureLive(accounts, 10);
for (const keys of [10_000, 100_000]) await measureLive(1, keys);

await (await openStores(options)).close();
fillLedger(path, REQUESTS);
const entriesBytes = statSync(path).size;
const stores = await openStores(options);
const ask = (question: UsageReportQuery): Promise<UsageReport> => stores.ledgerRecords.usage(question);

/** Reports are rejected until the aggregation is complete. */
async function addedUp(): Promise<void> {
  try {
    await ask({ bounds: [0, END], by: [] });
  } catch {
    await Bun.sleep(100);
    await addedUp();
  }
}

const first = await measure(addedUp);
say(`A ledger of ${count(REQUESTS)} requests from before, added up once`);
say(
  `  ${(first.ms / 1000).toFixed(0)} s, ${((1000 * first.cpuMs) / REQUESTS).toFixed(1)} µs of CPU a request, at most ${first.stopMs.toFixed(1)} ms at a time`,
);
const sumsBytes = statSync(path).size - entriesBytes;
say(`  ${(sumsBytes / 1e6).toFixed(0)} MB beside ${(entriesBytes / 1e6).toFixed(0)} MB of entries`);

function bounds(unit: CalendarUnit, days: number, zone: string): number[] {
  const fromMs = END - days * DAY_MS;
  return [
    fromMs,
    ...bucketsBetween(unit, fromMs, END, TimeZone.find(zone)!)
      .slice(1)
      .map((bucket) => bucket.fromMs),
    END,
  ];
}

const year = [END - 366 * DAY_MS, END];
const oddYear = [year[0]! + 12_345_678, END - 1_234_567];
const month = [END - 30 * DAY_MS, END];
const large = { accountId: "account-0" };
const page = { limit: 1001 };
const cases: [string, UsageReportQuery][] = [
  ["a year, by model", { bounds: year, by: ["model"] }],
  ["a year to the second, by model", { bounds: oddYear, by: ["model"] }],
  ["a year to the second, by key", { bounds: oddYear, by: ["key"], ...page }],
  ["a year to the second, by account", { bounds: oddYear, by: ["account"], ...page }],
  ["a year to the second, by key and model", { bounds: oddYear, by: ["key", "model"], ...page }],
  ["a month, by key", { bounds: month, by: ["key"], ...page }],
  ["a tenth of it, one account, a year, by key and model", { bounds: oddYear, by: ["key", "model"], ...large, ...page }],
  ["one small account, a month, by model", { bounds: month, by: ["model"], accountId: "account-7" }],
  ...["UTC", "Europe/Berlin", "Asia/Kathmandu"].flatMap((zone): [string, UsageReportQuery][] => {
    const days = bounds("day", 366, zone);
    return [
      [`${zone}: a year by day`, { bounds: days, by: [] }],
      [`${zone}: a year by day and model`, { bounds: days, by: ["model"], ...page }],
      [`${zone}: a year by day and upstream`, { bounds: days, by: ["upstream"], ...page }],
      [`${zone}: a year by day and key`, { bounds: days, by: ["key"], ...page }],
      [`${zone}: a year by day and account`, { bounds: days, by: ["account"], ...page }],
      [`${zone}: one account, a year by day`, { bounds: days, by: [], ...large }],
      [`${zone}: one account, a year by day and model`, { bounds: days, by: ["model"], ...large, ...page }],
      [`${zone}: one key and model, a year by day`, { bounds: days, by: [], ...large, keyId: "key-0-3", model: "model-9" }],
      [`${zone}: a month by hour`, { bounds: bounds("hour", 30, zone), by: [] }],
      [`${zone}: a month by hour and key`, { bounds: bounds("hour", 30, zone), by: ["key"], ...page }],
      [`${zone}: a year by hour`, { bounds: bounds("hour", 366, zone), by: [], ...page }],
    ];
  }),
];

say("Reports, best of 3; up to 1,000 rows of each");
for (const [name, question] of cases) {
  const runs = [await measure(() => ask(question)), await measure(() => ask(question)), await measure(() => ask(question))];
  const best = runs.toSorted((a, b) => a.ms - b.ms)[0]!;
  const { rows, total } = best.result;
  say(
    `  ${name.padEnd(54)} ${best.ms.toFixed(0).padStart(5)} ms, at most ${best.stopMs.toFixed(1)} ms at a time; ${rows.length} rows of ${count(total.requests + total.failed)} requests`,
  );
}
await stores.close();
rmSync(folder, { recursive: true });
