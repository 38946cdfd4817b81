import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import type { Bill, BilledModel } from "./bill.ts";
import { compare } from "./compare.ts";
import type { LedgerModel } from "./ledger-side.ts";
import { NOTHING, type Measure } from "./measures.ts";
import type { Report } from "./report.ts";

const DAYS = ["2027-01-30", "2027-01-31"];
const OTHER_DAY = "2027-02-01";
const UNUSED = { reasoningTokens: 0, unmeasuredRequests: 0, unmeasuredTokens: 0, startedBefore: 0, unansweredAttempts: 0 };

function inLedger(day: string, model: string | undefined, output: number, costPicos: bigint | undefined): LedgerModel {
  const measures = { counts: { ...NOTHING.counts, requests: 1, output }, costPicos: costPicos ?? 0n };
  return { day, model, measures, isPriced: costPicos !== undefined, ...UNUSED };
}

function onBill(day: string, model: string, output: number, costPicos: bigint, roundedByPicos = 0n): BilledModel {
  return { day, model, measures: { counts: { ...NOTHING.counts, output }, costPicos }, roundedByPicos };
}

function reportOf(
  ledger: readonly LedgerModel[],
  models: readonly BilledModel[],
  has: readonly Measure[] = ["output", "cost"],
  threshold = 0,
): Report {
  const bill: Bill = { format: "plain", lines: models.length, measures: new Set(has), ignoredColumns: [], span: undefined, models };
  return compare({ bill, ledger, days: DAYS, threshold });
}

/** The bill's total, the agreed, the differing and the uncompared amount, and each reason. */
function summarize({ money, notCompared, agrees }: Report): unknown[] {
  const sums = money && [money.billPicos, money.agreedPicos, money.differingPicos, money.notComparedPicos].map(Number);
  return [agrees, sums, notCompared.map(({ model, reason, billPicos }) => `${model} ${reason} ${billPicos}`)];
}

describe("amounts that are not compared", () => {
  const [day] = DAYS as [string];

  test("include models without a cost price, even when the tokens agree", () => {
    expect(summarize(reportOf([inLedger(day, "own", 5, undefined)], [onBill(day, "own", 5, 5_000n)]))).toEqual([
      false,
      [5_000, 0, 0, 5_000],
      ["own no_cost_price 5000"],
    ]);
  });

  test("include days outside of the range", () => {
    expect(summarize(reportOf([], [onBill(OTHER_DAY, "m", 5, 7n)]))).toEqual([false, [7, 0, 0, 7], ["m outside_range 7"]]);
    expect(summarize(reportOf([], [onBill(OTHER_DAY, "m", 5, 0n)], ["output"]))).toEqual([false, undefined, ["m outside_range undefined"]]);
  });

  test("include models that the ledger does not have", () => {
    const report = reportOf([inLedger(day, "m", 5, 3n)], [onBill(day, "m", 5, 3n), onBill(day, "x", 0, 9n)]);
    expect(summarize(report)).toEqual([false, [12, 3, 0, 9], ["x not_in_ledger 9"]]);
  });

  test("exclude amounts that only the ledger has, or that it does not know", () => {
    expect(summarize(reportOf([inLedger(day, "m", 0, 3n)], []))).toEqual([false, [0, 0, 0, 0], ["m not_on_bill 0"]]);
    expect(summarize(reportOf([inLedger(day, "m", 0, undefined)], []))).toEqual([false, [0, 0, 0, 0], ["m no_cost_price 0"]]);
    expect(summarize(reportOf([inLedger(day, undefined, 0, undefined)], []))).toEqual([false, [0, 0, 0, 0], ["undefined no_model_name 0"]]);
    // A threshold of 100 % does not make a missing model agree.
    expect(reportOf([inLedger(day, "m", 0, 3n)], [], ["cost"], 1_000_000).agrees).toBe(false);
  });

  test("exclude amounts of both sides, which agree or differ as a whole", () => {
    const report = reportOf([inLedger(day, "a", 1, 3n), inLedger(day, "b", 1, 4n)], [onBill(day, "a", 1, 3n), onBill(day, "b", 1, 5n)]);
    expect(summarize(report)).toEqual([false, [8, 3, 5, 0], []]);
    expect(summarize(reportOf([inLedger(day, "a", 1, 3n)], [onBill(day, "a", 1, 3n)]))).toEqual([true, [3, 3, 0, 0], []]);
  });
});

const model = fc.constantFrom("a", "a-2024-08-06", "b", "own", "gone");
const amount = fc.bigInt({ min: -5n, max: 50n });
const ledger = fc.array(
  fc.record({
    day: fc.constantFrom(...DAYS),
    model: fc.option(model, { nil: undefined, freq: 8 }),
    output: fc.nat(3),
    cost: fc.option(fc.bigInt({ min: 0n, max: 50n }), { nil: undefined, freq: 5 }),
  }),
  { maxLength: 8 },
);
const bill = fc.array(
  fc.record({
    day: fc.constantFrom(...DAYS, OTHER_DAY),
    model,
    output: fc.nat(3),
    cost: amount,
    rounded: fc.constantFrom(0n, 0n, 2n),
  }),
  { maxLength: 8 },
);

describe("for every bill and ledger", () => {
  // In half of the cases, the bill consists of the ledger's own lines, so that both sides agree.
  const sides = fc.tuple(ledger, bill, fc.boolean()).map(([uses, lines, isSame]) => {
    const ours = uses.map((each) => inLedger(each.day, each.model, each.output, each.model === undefined ? undefined : each.cost));
    const same = uses.map((each) => onBill(each.day, each.model ?? "b", each.output, each.cost ?? 1n));
    return [ours, isSame ? same : lines.map((each) => onBill(each.day, each.model, each.output, each.cost, each.rounded))] as const;
  });

  test("agreed, differing and not compared amounts add up to the bill", () => {
    fc.assert(
      fc.property(sides, fc.constantFrom(0, 10_000, 1_000_000), ([ours, theirs], threshold) => {
        const money = reportOf(ours, theirs, ["output", "cost"], threshold).money!;
        const total = theirs.reduce((sum, { measures }) => sum + measures.costPicos, 0n);
        expect([money.billPicos, money.agreedPicos + money.differingPicos + money.notComparedPicos]).toEqual([total, total]);
      }),
      runs(300),
    );
  });

  test("agreement means that everything was compared at a known cost", () => {
    let agreed = 0;
    fc.assert(
      fc.property(sides, ([ours, theirs]) => {
        const { agrees, money } = reportOf(ours, theirs);
        if (!agrees) return;
        agreed++;
        expect(theirs.every(({ day }) => DAYS.includes(day))).toBe(true);
        expect(ours.every(({ isPriced }) => isPriced)).toBe(true);
        expect([money!.differingPicos, money!.notComparedPicos]).toEqual([0n, 0n]);
        const rounded = theirs.reduce((sum, { roundedByPicos }) => sum + roundedByPicos, 0n);
        const off = money!.billPicos - ours.reduce((sum, { measures }) => sum + measures.costPicos, 0n);
        expect((off < 0n ? -off : off) <= rounded).toBe(true);
      }),
      runs(300),
    );
    expect(agreed).toBeGreaterThan(10);
  });
});
