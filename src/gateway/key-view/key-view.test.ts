import { expect, test } from "bun:test";
import { NO_USAGE, type UsageReportQuery, type UsageRow } from "../../stores/ledger/ledger-record-store.ts";
import { readTagUsage } from "./key-view.ts";

const PERIODS = { monthMs: 100, dayMs: 200, endMs: 300 };

function row(value: string, costNanos: bigint): UsageRow {
  return { ...NO_USAGE, fromMs: 0, names: [value], requests: 1, costNanos, costedRequests: 0, upstreamCostNanos: 0n, costedNanos: 0n };
}

/** Reads the usage of a key whose account has these tags, with these rows of the month and of the day. */
async function read(tags: readonly string[], ofMonth: (tag: string) => readonly UsageRow[], ofDay: readonly UsageRow[] = []) {
  const asked: UsageReportQuery[] = [];
  const usage = await readTagUsage({ id: "k", accountId: "a" }, PERIODS, {
    tagsOf: async () => tags,
    usage: async (query) => {
      asked.push(query);
      const rows = query.bounds[0] === PERIODS.monthMs ? ofMonth(query.attributed!.dimension) : ofDay;
      return { rows, total: row("total", 0n) };
    },
  });
  const seen = usage.map(({ tag, value, today, thisMonth }) => [tag, value, today.costNanos, thisMonth.costNanos]);
  return { seen, asked };
}

test("has the values of a tag as the report of the month orders them, with their usage of today", async () => {
  const { seen, asked } = await read(["team"], () => [row("ads", 9n), row("none", 8n), row("search", 7n)], [row("search", 3n)]);
  expect(seen).toEqual([
    ["team", "ads", 0n, 9n],
    ["team", "none", 0n, 8n],
    ["team", "search", 3n, 7n],
  ]);
  const query = { by: ["attributed"], attributed: { dimension: "tag:team" }, accountId: "a", keyId: "k", isCostliestFirst: true };
  expect(asked).toMatchObject([
    { ...query, bounds: [100, 300], limit: 10 },
    { ...query, bounds: [200, 300] },
  ]);
});

test("leaves out tags that other keys of the account have used, and reads no second report of them", async () => {
  const { seen, asked } = await read(["env", "team"], (tag) => (tag === "tag:env" ? [row("none", 8n)] : [row("ads", 9n)]));
  expect(seen.map(([tag]) => tag)).toEqual(["team"]);
  expect(asked.length).toBe(3);
});

test("ends after eight tags", async () => {
  const tags = Array.from({ length: 20 }, (_, at) => `tag-${String(at).padStart(2, "0")}`);
  const { seen, asked } = await read(tags, () => [row("x", 1n)]);
  expect(seen.map(([tag]) => tag)).toEqual(tags.slice(0, 8));
  expect(asked.length).toBe(16);
});
