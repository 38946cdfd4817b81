/**
 * Measures usage reports by end user, conversation and tag, on a ledger of one account with 10,000 end users, a conversation for every ten
 * requests and a tag with 50 values. Arguments: the number of requests, the number of days, and the database: a data folder by default,
 * `postgres` for a PostgreSQL server that is started for the measurement, or the URL of an empty database.
 *
 *     npm run measure:attribution -- 10000000
 *     npm run measure:attribution -- 1500000 55
 *     npm run measure:attribution -- 1500000 55 postgres
 *     npm run measure:attribution -- 1500000 55 postgres://user@127.0.0.1:5432/empty
 */
import { bucketsBetween } from "../src/lib/time/calendar.ts";
import { TimeZone } from "../src/lib/time/time-zone.ts";
import type { UsageReportQuery } from "../src/stores/ledger/ledger-record-store.ts";
import { openEmbedded, openOnPostgres } from "./usage/attributed-ledgers.ts";
import { DAY_MS, END, YEAR_DAYS } from "./usage/fill-ledger.ts";

const REQUESTS = Number(process.argv[2] ?? 10_000_000);
const DAYS = Number(process.argv[3] ?? YEAR_DAYS);
const DATABASE = process.argv[4];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ledger = DATABASE === undefined ? await openEmbedded(REQUESTS, DAYS) : await openOnPostgres(REQUESTS, DAYS, DATABASE);
const { ask, cpuUs } = ledger;
const entriesBytes = await ledger.bytes();

const [begun, cpu] = [performance.now(), cpuUs()];
await ledger.addUp();
say(
  `${REQUESTS.toLocaleString("en")} requests added up in ${((performance.now() - begun) / 1000).toFixed(0)} s, ${((cpuUs() - cpu) / REQUESTS).toFixed(1)} µs of CPU each`,
);
say(`${(((await ledger.bytes()) - entriesBytes) / 1e6).toFixed(0)} MB beside ${(entriesBytes / 1e6).toFixed(0)} MB of entries`);

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
    const [started, before] = [performance.now(), cpuUs()];
    rows = (await ask(question)).rows.length;
    best = Math.min(best, performance.now() - started);
    cpuMs = Math.min(cpuMs, (cpuUs() - before) / 1000);
  }
  say(`  ${name.padEnd(46)} ${best.toFixed(0).padStart(5)} ms, ${cpuMs.toFixed(0).padStart(5)} ms of CPU, ${rows} rows`);
}
await ledger.close();
