import { expect, test } from "bun:test";
import { MEASURES, readBreakdown, type Breakdown } from "./breakdown.ts";
import { breakDown, previousSeries, type Row } from "./breakdown-series.ts";
import { changeOf } from "./change-badge.tsx";
import { hoursOfWeek } from "./hours-of-week.ts";
import { previousOf, readRange } from "./range.ts";
import { requestsOf } from "./requests-of.ts";
import { toCsv } from "../charts/to-csv.ts";

const NOW = Date.parse("2027-01-31T12:00:00Z");
const RANGE = readRange({ range: "custom", from: "2027-01-29", to: "2027-01-31", zone: "UTC" }, NOW, "UTC");
const [COST, REQUESTS, , FAILED] = MEASURES as [Breakdown["measure"], Breakdown["measure"], Breakdown["measure"], Breakdown["measure"]];
const OF_KEYS: Breakdown = { measure: COST, by: "key", tag: "team", isCompared: true, isCumulative: false };

const row = (day: string, cost: string, more: Row): Row => ({ day, cost, requests: 2, failed: 1, ...more });
const ROWS = [
  row("2027-01-29", "0.10", { key: "k1", key_name: "small" }),
  row("2027-01-29", "5.00", { key: "k2", key_name: "=large" }),
  row("2027-01-29", "0.000000001", { is_other: true }),
  row("2027-01-31", "2.00", { key: "k2", key_name: "=large" }),
];
const REPORT = { data: ROWS, to: "2027-01-31T12:00:00Z", total: {} };

test("has a series for each group, the largest first, and one for all others", () => {
  const { series, groups, slots } = breakDown(REPORT, OF_KEYS, RANGE);
  expect(series.map(({ label, values, exact }) => [label, values, exact])).toEqual([
    ["=large", [5, 0, 2], ["5.00", "0.00", "2.00"]],
    ["small", [0.1, 0, 0], ["0.10", "0.00", "0.00"]],
    ["Other", [0.000_000_001, 0, 0], ["0.000000001", "0.00", "0.00"]],
  ]);
  expect([...groups.values()]).toEqual([{ key: "k2" }, { key: "k1" }]);
  expect(slots.map(({ isPartial }) => isPartial)).toEqual([false, false, true]);
  // A spreadsheet must not run a name as a formula.
  expect(toCsv({ slots, series }).split("\r\n")[0]).toBe("time,is_partial,'=large,small,other");
});

test("keeps end users of the same name in two accounts apart", () => {
  const users = ["acme", "globex"].map((account) => row("2027-01-29", "1.00", { account, user: "ada" }));
  const { series, groups } = breakDown({ ...REPORT, data: users }, { ...OF_KEYS, by: "user", measure: REQUESTS }, RANGE);
  expect(series.map(({ values }) => values[0])).toEqual([3, 3]);
  expect([...groups.values()]).toEqual([
    { account: "acme", user: "ada" },
    { account: "globex", user: "ada" },
  ]);
});

test("compares with the period of the same length before it, up to the same time", () => {
  const before = previousOf(RANGE, NOW);
  expect([before.fromMs, before.toMs]).toEqual([Date.parse("2027-01-26"), Date.parse("2027-01-28T12:00:00Z")]);
  const { slots } = breakDown(REPORT, OF_KEYS, RANGE);
  const report = { data: [row("2027-01-27", "3.00", {})], to: "2027-01-28T12:00:00Z", total: {} };
  expect(previousSeries(report, COST, before, slots).values).toEqual([0, 3, 0]);
  // The clock was put forward within the range: whole days are compared with whole days.
  const spring = readRange({ range: "7d", zone: "Europe/Berlin" }, Date.parse("2027-03-30T10:00:00Z"), "UTC");
  expect(new Date(previousOf(spring, Date.parse("2027-03-30T10:00:00Z")).fromMs).toISOString()).toBe("2027-03-16T23:00:00.000Z");
});

test("describes a change in percent of the value before", () => {
  expect([changeOf(3, 2), changeOf(1, 2), changeOf(2, 2), changeOf(1, 0), changeOf(0, 0), changeOf(100, 1)]).toEqual([
    "▲ +50%",
    "▼ −50%",
    "unchanged",
    "none before",
    "unchanged",
    "▲ more than tenfold",
  ]);
});

test("filters the requests of a bar by its group, and by failure where the bar counts failures", () => {
  const bar = { filter: { account: "acme" }, tag: "team", measure: COST, fromMs: 0, toMs: 3_600_000 };
  const span = { from: "1970-01-01T00:00:00.000Z", to: "1970-01-01T01:00:00.000Z" };
  expect(requestsOf({ ...bar, group: { key: "k1" } })).toEqual({ account: "acme", key: "k1", ...span });
  expect(requestsOf({ ...bar, group: { tag: "search" } })).toEqual({ account: "acme", tag: "team:search", ...span });
  expect(requestsOf({ ...bar, group: { user: "other" } })).toEqual({ account: "acme", ...span });
  expect(requestsOf({ ...bar, group: undefined, measure: FAILED })).toEqual({ account: "acme", outcome: "failed", ...span });
});

test("offers members neither upstreams, accounts nor margins", () => {
  const of = { dimensions: ["account", "upstream", "key"] as const, isOperator: false };
  expect(readBreakdown({ by: "upstream", measure: "margin" }, of)).toMatchObject({ by: "key", measure: { id: "cost" } });
  expect(readBreakdown({ by: "upstream", measure: "margin", compare: "off" }, { ...of, isOperator: true })).toMatchObject({
    by: "upstream",
    measure: { id: "margin" },
    isCompared: false,
  });
});

test("fills hours of the week without usage with zeros", () => {
  const sunday = { weekday: 7, hour_of_day: 23, requests: 2, failed: 1, cost: "0.50" };
  const values = hoursOfWeek([sunday as Parameters<typeof hoursOfWeek>[0][number]], "requests");
  expect([values[6]![23], values.flat().reduce((sum, value) => sum + value), values.flat().length]).toEqual([3, 3, 168]);
});
