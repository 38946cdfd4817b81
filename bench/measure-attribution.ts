/**
 * Measures usage reports by end user, conversation and tag, on a ledger of ten million requests of one account over a year, with 10,000 end
 * users, a million conversations and a tag with 50 values.
 *
 *     npm run measure:attribution -- 10000000        # requests of a year
 *     npm run measure:attribution -- 1640000 60      # as many per day, of 60 days
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketsBetween } from "../src/lib/time/calendar.ts";
import { TimeZone } from "../src/lib/time/time-zone.ts";
import type { UsageReportQuery } from "../src/stores/ledger/ledger-record-store.ts";
import { openStores } from "../src/stores/open-stores.ts";
import { STORE_OPTIONS } from "../test/support/gateway/store-options.ts";
import { ATTRIBUTED, DAY_MS, END, fillLedger } from "./usage/fill-ledger.ts";

const REQUESTS = Number(process.argv[2] ?? 10_000_000);
const DAYS = Number(process.argv[3] ?? 366);

const folder = mkdtempSync(join(tmpdir(), "tollgate-attribution-"));
const path = join(folder, "tollgate.db");
const options = { ...STORE_OPTIONS, dataFolder: folder, nowMs: () => END };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await (await openStores(options)).close();
fillLedger(path, REQUESTS, ATTRIBUTED, DAYS);
const entriesBytes = statSync(path).size;
const stores = await openStores(options);
const ask = (question: UsageReportQuery): ReturnType<typeof stores.ledgerRecords.usage> => stores.ledgerRecords.usage(question);

const [begun, cpu] = [performance.now(), process.cpuUsage()];
/** Reports are rejected until the aggregation is complete. */
async function addedUp(): Promise<void> {
  try {
    await ask({ bounds: [0, END], by: [] });
  } catch {
    await Bun.sleep(100);
    await addedUp();
  }
}
await addedUp();
const { user, system } = process.cpuUsage(cpu);
say(
  `${REQUESTS.toLocaleString("en")} requests added up in ${((performance.now() - begun) / 1000).toFixed(0)} s, ${((user + system) / REQUESTS).toFixed(1)} µs of CPU each`,
);
say(`${((statSync(path).size - entriesBytes) / 1e6).toFixed(0)} MB beside ${(entriesBytes / 1e6).toFixed(0)} MB of entries`);

const days = (count: number, zone: string): number[] => {
  const fromMs = END - count * DAY_MS;
  const buckets = bucketsBetween("day", fromMs, END, TimeZone.find(zone)!).slice(1);
  return [fromMs, ...buckets.map((bucket) => bucket.fromMs), END];
};
const [year, month, week] = [366, 30, 7].map((count) => [END - count * DAY_MS, END]) as [number[], number[], number[]];
const accountId = "account-0";
const by: UsageReportQuery["by"] = ["attributed"];
const top = { isCostliestFirst: true, limit: 100 };
const dimensions = ["user", "tag:team", "conversation"] as const;
const cases: [string, UsageReportQuery][] = [
  ...dimensions.flatMap((dimension): [string, UsageReportQuery][] => [
    [`a week by ${dimension}`, { bounds: week, by, accountId, attributed: { dimension }, ...top }],
    [`a month by ${dimension}`, { bounds: month, by, accountId, attributed: { dimension }, ...top }],
  ]),
  // A year by conversation has more groups than a report may have.
  ["a year by user", { bounds: year, by, accountId, attributed: { dimension: "user" }, ...top }],
  ["a year by tag:team", { bounds: year, by, accountId, attributed: { dimension: "tag:team" }, ...top }],
  [
    "a month to the second by user, all accounts",
    { bounds: [month[0]! + 1_234_567, END - 1_234_567], by: ["account", "attributed"], attributed: { dimension: "user" }, ...top },
  ],
  ["one user, a year by model", { bounds: year, by: ["model"], accountId, attributed: { dimension: "user", names: ["user-77"] } }],
  ...["UTC", "Europe/Berlin", "Asia/Kathmandu"].flatMap((zone): [string, UsageReportQuery][] => [
    [`${zone}: a month by day and tag`, { bounds: days(30, zone), by, accountId, attributed: { dimension: "tag:team" }, limit: 1001 }],
    [`${zone}: a month by day and user, a page`, { bounds: days(30, zone), by, accountId, attributed: { dimension: "user" }, limit: 1001 }],
    [
      `${zone}: one user, a month by day`,
      { bounds: days(30, zone), by: [], accountId, attributed: { dimension: "user", names: ["user-77"] } },
    ],
    [
      `${zone}: one user, a year by day`,
      { bounds: days(366, zone), by: [], accountId, attributed: { dimension: "user", names: ["user-77"] } },
    ],
  ]),
];
say("Reports, best of 3");
for (const [name, question] of cases) {
  let [best, cpuMs, rows] = [Infinity, Infinity, 0];
  for (let run = 0; run < 3; run++) {
    const [started, before] = [performance.now(), process.cpuUsage()];
    rows = (await ask(question)).rows.length;
    const used = process.cpuUsage(before);
    best = Math.min(best, performance.now() - started);
    cpuMs = Math.min(cpuMs, (used.user + used.system) / 1000);
  }
  say(`  ${name.padEnd(46)} ${best.toFixed(0).padStart(5)} ms, ${cpuMs.toFixed(0).padStart(5)} ms of CPU, ${rows} rows`);
}
await stores.close();
rmSync(folder, { recursive: true });
