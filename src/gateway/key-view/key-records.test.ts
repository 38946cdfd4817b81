import { expect, test } from "bun:test";
import type { CostedMeasures, UsageReportQuery } from "../../stores/ledger/ledger-record-store.ts";
import { localKeyRecords, type KeyFigures } from "./key-records.ts";

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

/** Reads the figures of a key at a moment, with these rows: the start of their bucket, and their model. */
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
