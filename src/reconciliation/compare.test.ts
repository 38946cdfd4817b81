import { describe, expect, test } from "bun:test";
import { makePrice, type Price, type Rates } from "../money/price.ts";
import type { Bill, BilledModel } from "./bill.ts";
import { compare } from "./compare.ts";
import { ledgerDay, type LedgerModel, type CostPrices, type LedgerUse } from "./ledger-side.ts";
import { NOTHING, type Measure, type Measures } from "./measures.ts";
import type { Report } from "./report.ts";
import { differenceIn, percentIn } from "./report-row.ts";

const DAYS = ["2027-01-30", "2027-01-31", "2027-02-01"];
const DAY = DAYS[1]!;
const ALL: readonly Measure[] = ["requests", "input", "cached", "cacheWrite", "output", "cost"];
const ONE_PERCENT = 10_000;

function measures({ cost = 0n, ...counts }: Partial<Measures["counts"]> & { cost?: bigint }): Measures {
  return { counts: { ...NOTHING.counts, ...counts }, costPicos: cost };
}

function inLedger(model: string | undefined, has: Parameters<typeof measures>[0], changes: Partial<LedgerModel> = {}): LedgerModel {
  const nothing = { reasoningTokens: 0, unmeasuredRequests: 0, unmeasuredTokens: 0, startedBefore: 0, unansweredAttempts: 0 };
  return { day: DAY, model, measures: measures(has), isPriced: true, ...nothing, ...changes };
}

function onBill(model: string, has: Parameters<typeof measures>[0], changes: Partial<BilledModel> = {}): BilledModel {
  return { day: DAY, model, measures: measures(has), roundedByPicos: 0n, ...changes };
}

function reportOf(ledger: readonly LedgerModel[], models: readonly BilledModel[], has = ALL, threshold = ONE_PERCENT): Report {
  const bill: Bill = { format: "plain", lines: models.length, measures: new Set(has), ignoredColumns: [], span: undefined, models };
  return compare({ bill, ledger, days: DAYS, threshold });
}

/** The measures that drift, of the only row. */
function driftOf(...args: Parameters<typeof reportOf>): string {
  const { rows, drifts } = reportOf(...args);
  expect(rows.length).toBe(1);
  expect(rows[0]!.drifts).toBe(drifts);
  const names = ALL.filter((measure) => rows[0]!.cells[measure].drifts);
  return drifts ? names.join() || "nothing to compare" : "none";
}

function percent(ledger: bigint, bill: bigint): number | undefined {
  return percentIn({ ledger, bill, drifts: false });
}

describe("drift", () => {
  test("is a difference above the threshold in either direction", () => {
    const ours = [inLedger("m", { input: 10_000 })];
    for (const [input, drift] of [
      [10_000, "none"],
      [10_100, "none"],
      [10_101, "input"],
      [9_900, "none"],
      [9_899, "input"],
    ] as const) {
      expect([input, driftOf(ours, [onBill("m", { input })])]).toEqual([input, drift]);
    }
    expect(driftOf(ours, [onBill("m", { input: 10_001 })], ALL, 0)).toBe("input");
  });

  test("is checked for each kind of tokens: one does not offset another", () => {
    expect(driftOf([inLedger("m", { input: 100, cached: 50 })], [onBill("m", { input: 50, cached: 100 })])).toBe("input,cached");
  });

  test("is anything that only one side has", () => {
    expect(driftOf([inLedger("m", { output: 1 })], [])).toBe("output");
    expect(driftOf([], [onBill("m", { output: 1 })])).toBe("output");
    expect(driftOf([], [onBill("(searches)", { cost: 1n })])).toBe("cost");
  });

  test("ignores the number of requests, which is shown", () => {
    const { rows, drifts } = reportOf([inLedger("m", { requests: 1, output: 1 })], [onBill("m", { requests: 9, output: 1 })]);
    expect([drifts, differenceIn(rows[0]!.cells.requests), percentIn(rows[0]!.cells.requests)]).toEqual([false, 8n, 800]);
  });

  test("is a percentage, rounded half away from zero", () => {
    expect([percent(104n, 92n), percent(101_210n, 105_206n)]).toEqual([-11.54, 3.95]);
    expect([percent(20_000n, 20_001n), percent(20_000n, 19_999n), percent(20_001n, 20_002n)]).toEqual([0.01, -0.01, 0]);
    expect([percent(7n, 7n), percent(0n, 0n), percent(0n, 1n)]).toEqual([0, 0, undefined]);
  });

  test("ignores the bill's rounding", () => {
    const ours = [inLedger("m", { cost: 100n })];
    expect(driftOf(ours, [onBill("m", { cost: 150n }, { roundedByPicos: 50n })])).toBe("none");
    expect(driftOf(ours, [onBill("m", { cost: 151n }, { roundedByPicos: 50n })])).toBe("cost");
  });

  test("is reported when nothing can be compared, such as a bill with only money and no price", () => {
    const unpriced = inLedger("m", { output: 5 }, { isPriced: false });
    expect(driftOf([unpriced], [onBill("m", { cost: 5n })], ["cost"])).toBe("nothing to compare");
    expect(driftOf([unpriced], [onBill("m", { output: 5, cost: 5n })])).toBe("none");
    expect(reportOf([unpriced], [onBill("m", { cost: 5n })]).modelsWithoutPrice).toEqual(["m"]);
  });
});

test("kinds of input that a bill does not distinguish are compared as one", () => {
  const ours = [inLedger("m", { input: 10, cached: 5, cacheWrite: 3 })];
  expect(driftOf(ours, [onBill("m", { input: 18 })], ["input", "output"])).toBe("none");
  expect(driftOf(ours, [onBill("m", { input: 13, cached: 5 })], ["input", "cached", "output"])).toBe("none");
  expect(driftOf(ours, [onBill("m", { input: 10, cached: 5, cacheWrite: 3 })], ALL)).toBe("none");
});

test("nothing is omitted: days, models and old responses of only one side are listed", () => {
  const report = reportOf(
    [inLedger("a", { output: 1 }, { day: DAYS[0]! }), inLedger("old", { output: 0 }), inLedger(undefined, { output: 7 })],
    [onBill("b", { output: 2 }, { day: DAYS[2]! }), onBill("c", { output: 2 }, { day: "2027-02-02" })],
  );
  expect(report.rows.map((row) => [row.day, row.names?.ledger ?? null, row.names?.bill ?? null])).toEqual([
    [DAYS[0]!, ["a"], []],
    [DAY, null, null],
    [DAYS[2]!, [], ["b"]],
  ]);
  expect([report.daysNotOnBill, report.daysNotInLedger]).toEqual([[DAYS[0]!, DAY], [DAYS[2]!]]);
  expect([report.modelsNotOnBill, report.modelsNotInLedger, report.outsideSpan]).toEqual([["a"], ["b"], 1]);
});

test("a request across midnight is noted on both days", () => {
  const report = reportOf(
    DAYS.map((day, at) => inLedger("m", { output: 9 }, { day, startedBefore: [0, 2, 1][at]! })),
    [],
  );
  expect(report.rows.map((row) => row.reasons.acrossMidnight)).toEqual([2, 3, 1]);
});

test("names of one model are one row, whose cost is known when each is", () => {
  const ledger = [inLedger("m", { cost: 3n }), inLedger("m-2024-08-06", { cost: 4n }), inLedger("n", { cost: 5n }, { isPriced: false })];
  const { rows, totals } = reportOf(ledger, [onBill("m-2024-08-06", { cost: 7n }), onBill("n", { cost: 8n })]);
  expect(rows.map(({ cells: { cost } }) => [cost.ledger, cost.bill])).toEqual([
    [7n, 7n],
    [undefined, 8n],
  ]);
  expect([totals.cost.ledger, totals.cost.bill]).toEqual([7n, 7n]);
});

function rates(picos: bigint): Rates {
  return { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
}

function price(since: string, picos: bigint, source: Price["source"] = "default"): Price {
  const tiers = [{ aboveInputTokens: 100, rates: rates(10n * picos) }];
  return makePrice({ effectiveAtMs: Date.parse(since), source, rates: rates(picos), tiers });
}

const RECORDED: Readonly<Record<string, Price>> = { own: price("2027-03-01", 7n, "operator"), published: price("2026-01-01", 5n) };

function use(upstreamModel: string | undefined, tier: number, costVersion?: string): LedgerUse {
  const usage = { promptTokens: 6, completionTokens: 4, cachedTokens: 2, cacheWriteTokens: 1, reasoningTokens: 1 };
  return { upstreamModel, costVersion, tier, requests: 1, usage, unmeasuredRequests: 0, unmeasuredTokens: 0, startedBefore: 0 };
}

describe("at cost prices", () => {
  const prices: CostPrices = {
    tierBounds: [50, 100, 200],
    recorded: (version) => RECORDED[version],
    listed: (model) => (model === "m" ? [price("2027-01-01", 1n), price("2027-02-01", 2n)] : []),
  };
  const isPriced = (each: LedgerUse): boolean =>
    ledgerDay(DAY, Date.parse(DAY), { rows: [each], unansweredAttempts: new Map() }, prices)[0]!.isPriced;
  const costOn = (day: string, tier: number): bigint =>
    ledgerDay(day, Date.parse(day), { rows: [use("m", tier)], unansweredAttempts: new Map() }, prices)[0]!.measures.costPicos;

  test("a long prompt costs the rate of its tier, and a day its price on that day", () => {
    expect([0, 1, 2, 3].map((tier) => costOn("2027-01-31", tier))).toEqual([10n, 10n, 100n, 100n]);
    expect(costOn("2027-02-01", 0)).toBe(20n);
  });

  test("a request costs the route's price at that time, whatever the list price", () => {
    const rows = [use("m", 0, "own"), use("x", 2, "own")];
    const models = ledgerDay(DAY, Date.parse(DAY), { rows, unansweredAttempts: new Map() }, prices);
    expect(models.map((each) => [each.model, each.measures.costPicos])).toEqual([
      ["m", 70n],
      ["x", 700n],
    ]);
    // If a version was recorded but cannot be found, the price must not be guessed.
    expect([isPriced(use("m", 0, "lost")), isPriced(use("m", 0))]).toEqual([false, true]);
  });

  test("a request that cost the published price costs what is published for that day now, if that is known", () => {
    const rows = [use("m", 0, "published"), use("x", 0, "published")];
    const models = ledgerDay(DAY, Date.parse(DAY), { rows, unansweredAttempts: new Map() }, prices);
    expect(models.map((each) => each.measures.costPicos)).toEqual([costOn(DAY, 0), 50n]);
  });

  test("usage without a price or name has no cost; an attempt alone is listed", () => {
    const rows = [use("m", 0), use("m", 2), use("x", 0), use(undefined, 0)];
    const models = ledgerDay(
      DAY,
      Date.parse(DAY),
      {
        rows,
        unansweredAttempts: new Map([
          ["m", 3],
          ["y", 1],
        ]),
      },
      prices,
    );
    expect(models.map((each) => [each.model, each.isPriced, each.measures.costPicos, each.unansweredAttempts])).toEqual([
      ["m", true, 110n, 3],
      ["x", false, 0n, 0],
      [undefined, false, 0n, 0],
      ["y", true, 0n, 1],
    ]);
    expect(models[0]!.measures.counts).toEqual({ requests: 2, input: 6, cached: 4, cacheWrite: 2, output: 8 });
  });
});
