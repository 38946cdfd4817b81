import type { Bill } from "./bill.ts";
import type { LedgerModel } from "./ledger-side.ts";
import { COUNTS, type Measure, type Measures } from "./measures.ts";
import { matchNames, nameOf, type NameGroup } from "./model-names.ts";
import { findNotCompared, reasonOf, sumMoney } from "./money.ts";
import { pairUp, type Pair } from "./match-rows.ts";
import { type Report } from "./report.ts";
import { differenceIn, type Cell, type Cells, type ReportRow } from "./report-row.ts";

/** The parameters of a comparison. */
interface Comparison {
  readonly bill: Bill;
  readonly ledger: readonly LedgerModel[];
  /** The compared days, in order. */
  readonly days: readonly string[];
  /** The threshold, in millionths of the ledger's value. */
  readonly threshold: number;
}

/** Compares the ledger with a bill by day and model. Nothing of either side is omitted. */
export function compare({ bill, ledger, days, threshold }: Comparison): Report {
  const within = new Set(days);
  const billed = bill.models.filter(({ day }) => within.has(day));
  const outside = bill.models.filter(({ day }) => !within.has(day));
  // Names are matched over all days, because a name means the same on each of them.
  const groups = matchNames(namesIn(ledger), namesIn(bill.models));
  const pairs = pairUp(ledger, billed, groups);
  const rows = pairs.map((pair) => toRow(pair, bill.measures, threshold)).filter(hasAmounts);
  const notCompared = findNotCompared(pairs, outside, bill);
  const doDrift = rows.some((row) => row.drifts);
  const shown = [...new Set(rows.flatMap(({ names }) => names ?? []))];
  const alone = (names: (group: NameGroup) => readonly string[]): string[] => shown.filter(({ by }) => !by).flatMap(names);
  return {
    from: days[0]!,
    to: days.at(-1)!,
    bill,
    rows: rows.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)),
    agrees: !doDrift && notCompared.length === 0,
    money: sumMoney(bill, rows, notCompared),
    notCompared: notCompared.toSorted((one, other) => (`${one.day} ${one.model}` < `${other.day} ${other.model}` ? -1 : 1)),
    totals: totalsOf(rows, bill.measures, threshold),
    drifts: doDrift,
    daysNotOnBill: daysOn(rows, "ledger").difference(daysOn(rows, "bill")).values().toArray(),
    daysNotInLedger: daysOn(rows, "bill").difference(daysOn(rows, "ledger")).values().toArray(),
    modelsNotOnBill: alone((group) => group.ledger),
    modelsNotInLedger: alone((group) => group.bill),
    modelsWithoutPrice: bill.measures.has("cost") ? namesIn(ledger.filter((each) => !each.isPriced)) : [],
    outsideSpan: outside.length,
  };
}

function namesIn(models: readonly { readonly model: string | undefined }[]): string[] {
  return [...new Set(models.flatMap(({ model }) => model ?? []))];
}

function orderOf({ day, names }: ReportRow): string {
  return `${day} ${names ? nameOf(names) : ""}`;
}

function toRow(pair: Pair, measures: ReadonlySet<Measure>, threshold: number): ReportRow {
  const { day, names, ledger, bill, acrossMidnight } = pair;
  const ours = ledger && asBilled(ledger.measures, measures);
  const counts = COUNTS.map((name) => {
    const of = { ledger: BigInt(ours?.counts[name] ?? 0), bill: measures.has(name) ? BigInt(bill.measures.counts[name]) : undefined };
    // Requests are shown but not compared: providers bill tokens, and count requests in their own way.
    return [name, toCell(of, name === "requests" ? Infinity : threshold)] as const;
  });
  const isPriced = ledger === undefined || ledger.isPriced;
  const money = {
    ledger: isPriced ? (ours?.costPicos ?? 0n) : undefined,
    bill: measures.has("cost") ? bill.measures.costPicos : undefined,
  };
  const cells = { ...Object.fromEntries(counts), cost: toCell(money, threshold, bill.roundedByPicos) } as Cells;
  return {
    day,
    names,
    cells,
    isCompared: reasonOf(pair) === undefined,
    reasoningTokens: ledger?.reasoningTokens ?? 0,
    drifts: drifts(cells),
    reasons: {
      unmeasuredRequests: ledger?.unmeasuredRequests ?? 0,
      unmeasuredTokens: ledger?.unmeasuredTokens ?? 0,
      unansweredAttempts: ledger?.unansweredAttempts ?? 0,
      acrossMidnight,
      roundedByPicos: bill.roundedByPicos,
    },
  };
}

/** Kinds of input that the bill does not distinguish are included in its input, so they are added to the ledger's input too. */
function asBilled({ counts, costPicos }: Measures, measures: ReadonlySet<Measure>): Measures {
  const { cached, cacheWrite } = counts;
  const input = counts.input + (measures.has("cached") ? 0 : cached) + (measures.has("cacheWrite") ? 0 : cacheWrite);
  return { counts: { ...counts, input }, costPicos };
}

function toCell(of: Pick<Cell, "ledger" | "bill">, threshold: number, slackPicos = 0n): Cell {
  const difference = differenceIn({ ...of, drifts: false });
  if (difference === undefined || threshold === Infinity) return { ...of, drifts: false };
  const size = difference < 0n ? -difference : difference;
  return { ...of, drifts: size > slackPicos && size * 1_000_000n > BigInt(threshold) * of.ledger! };
}

/** A row without any comparable billed measure cannot agree. */
function drifts(cells: Cells): boolean {
  const { requests: _, ...billable } = cells;
  const all = Object.values(billable);
  return all.some((cell) => cell.drifts) || all.every((cell) => differenceIn(cell) === undefined);
}

/** Whether a row has an amount to compare. Attempts that were not billed have no amount. */
function hasAmounts({ cells }: ReportRow): boolean {
  return Object.values(cells).some(({ ledger, bill }) => (ledger ?? 0n) !== 0n || (bill ?? 0n) !== 0n);
}

function daysOn(rows: readonly ReportRow[], side: "ledger" | "bill"): Set<string> {
  return new Set(rows.filter(({ cells }) => Object.values(cells).some((cell) => (cell[side] ?? 0n) !== 0n)).map(({ day }) => day));
}

/** Totals over the rows for which both sides have a value. */
function totalsOf(rows: readonly ReportRow[], measures: ReadonlySet<Measure>, threshold: number): Cells {
  const totals = ([...COUNTS, "cost"] as const).map((name) => {
    const known = rows.map(({ cells }) => cells[name]).filter((cell) => !measures.has(name) || differenceIn(cell) !== undefined);
    const sum = (side: "ledger" | "bill"): bigint => known.reduce((total, cell) => total + (cell[side] ?? 0n), 0n);
    const of = { ledger: sum("ledger"), bill: measures.has(name) ? sum("bill") : undefined };
    return [name, toCell(of, name === "requests" ? Infinity : threshold)] as const;
  });
  return Object.fromEntries(totals) as unknown as Cells;
}
