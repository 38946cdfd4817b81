import { expect, test, describe } from "bun:test";
import { type CostedMeasures, type UsageReportQuery, NO_USAGE, type UsageRow } from "../../stores/ledger/ledger-record-store.ts";
import { localKeyRecords, type KeyFigures, readTagUsage } from "./key-records.ts";

const NOTHING_SPENT = { heldNanos: 0n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n };

const measures = (requests: number, costNanos: bigint): CostedMeasures => ({
  requests,
  failed: 1,
  promptTokens: 10,
  cachedTokens: 1,
  cacheWriteTokens: 0,
  completionTokens: 5,
  reasoningTokens: 2,
  costNanos,
  unchargedNanos: 0n,
  costedRequests: requests,
  upstreamCostNanos: 1n,
  costedNanos: costNanos,
});

/** Reads the figures of a key at a moment. Each row has the start of its bucket, its model and its usage. */
async function readAt(now: string, rows: readonly (readonly [from: string, model: string, usage: CostedMeasures])[]) {
  const asked: UsageReportQuery[] = [];
  const records = localKeyRecords({
    ledgerRecords: {
      balanceOf: () => ({ creditNanos: 5n, heldNanos: 1n }),
      spendingOf: () => NOTHING_SPENT,
      tagsOf: async () => [],
      usage: async (query) => {
        asked.push(query);
        return {
          rows: rows.map(([from, model, usage]) => ({ fromMs: Date.parse(from), names: [model], ...usage })),
          total: measures(0, 0n),
        };
      },
    },
    requestLog: { list: () => Promise.reject(new Error("not asked for")) },
  });
  const figures: KeyFigures = await records.read({ id: "k", accountId: "a" }, 0, Date.parse(now));
  return { figures, bounds: asked[0]!.bounds.map((ms) => new Date(ms).toISOString()), asked };
}

test("reads the days of the month before today, and today, of the key alone", async () => {
  const { bounds, asked } = await readAt("2028-02-29T23:59:59.999Z", []);
  expect(bounds).toEqual(["2028-02-01T00:00:00.000Z", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"]);
  expect(asked).toMatchObject([{ by: ["model"], accountId: "a", keyId: "k" }]);
});

test("on the first day of a month, today is all of the month", async () => {
  const { bounds, figures } = await readAt("2027-01-01T00:00:00.000Z", [["2027-01-01", "m", measures(2, 3n)]]);
  expect(bounds).toEqual(["2027-01-01T00:00:00.000Z", "2027-01-02T00:00:00.000Z"]);
  expect(figures.total.today).toEqual(figures.total.thisMonth);
});

test("sums today and the month, in total and by model, in the order of their names", async () => {
  const { figures } = await readAt("2027-01-31T12:00:00Z", [
    ["2027-01-01", "b", measures(1, 100n)],
    ["2027-01-01", "a", measures(2, 10n)],
    ["2027-01-31", "b", measures(4, 1n)],
  ]);
  const seen = figures.byModel.map(({ model, today, thisMonth }) => [model, today.requests, thisMonth.requests, thisMonth.costNanos]);
  expect(seen).toEqual([
    ["a", 0, 2, 10n],
    ["b", 4, 5, 101n],
  ]);
  const { today, thisMonth } = figures.total;
  expect([today.requests, today.failed, today.costNanos, today.promptTokens]).toEqual([4, 1, 1n, 10]);
  expect([thisMonth.requests, thisMonth.failed, thisMonth.costNanos, thisMonth.reasoningTokens]).toEqual([7, 3, 111n, 6]);
});

describe("key view", () => {
  const PERIODS = { monthMs: 100, dayMs: 200, endMs: 300 };

  function row(value: string, costNanos: bigint): UsageRow {
    return { ...NO_USAGE, fromMs: 0, names: [value], requests: 1, costNanos, costedRequests: 0, upstreamCostNanos: 0n, costedNanos: 0n };
  }

  /** Reads the usage of a key whose account has these tags. The rows are for the month and for the day. */
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
});
