import type { Bill, BilledModel } from "./bill.ts";
import { nameOf } from "./model-names.ts";
import type { Pair } from "./match-rows.ts";
import type { ReportRow } from "./report-row.ts";

/** The reasons why an amount has no counterpart. */
export const NOT_COMPARED_REASONS = ["outside_range", "not_in_ledger", "not_on_bill", "no_cost_price", "no_model_name"] as const;

type NotComparedReason = (typeof NOT_COMPARED_REASONS)[number];

/** Amounts of one model and day that were not compared. */
export interface NotCompared {
  readonly day: string;
  /** Undefined for responses from before the provider's model names were recorded. */
  readonly model: string | undefined;
  readonly reason: NotComparedReason;
  /** Undefined if the bill has no amounts at all. */
  readonly billPicos: bigint | undefined;
  /** Undefined if the ledger's amount is unknown, or outside of the range. */
  readonly ledgerPicos: bigint | undefined;
}

/** The bill's total and its three parts: each amount of the bill is in exactly one of them. */
export interface Money {
  readonly billPicos: bigint;
  readonly agreedPicos: bigint;
  readonly differingPicos: bigint;
  readonly notComparedPicos: bigint;
}

/** The amounts that were not compared. If the bill has no amounts, only days outside of the range are included. */
export function findNotCompared(pairs: readonly Pair[], outside: readonly BilledModel[], { measures }: Bill): readonly NotCompared[] {
  const hasAmounts = measures.has("cost");
  const ofOtherDays = outside.map(({ day, model, measures: { costPicos } }): NotCompared => {
    return { day, model, reason: "outside_range", billPicos: hasAmounts ? costPicos : undefined, ledgerPicos: undefined };
  });
  return [...ofOtherDays, ...(hasAmounts ? pairs.flatMap((pair) => notComparedIn(pair) ?? []) : [])];
}

/** Sums the bill by result; undefined if the bill has no amounts. */
export function sumMoney(bill: Bill, rows: readonly ReportRow[], notCompared: readonly NotCompared[]): Money | undefined {
  if (!bill.measures.has("cost")) return undefined;
  const compared = rows.filter(({ isCompared }) => isCompared);
  return {
    billPicos: bill.models.reduce((sum, { measures }) => sum + measures.costPicos, 0n),
    agreedPicos: sumOf(compared.filter(({ cells }) => !cells.cost.drifts)),
    differingPicos: sumOf(compared.filter(({ cells }) => cells.cost.drifts)),
    notComparedPicos: notCompared.reduce((sum, { billPicos }) => sum + billPicos!, 0n),
  };
}

function sumOf(rows: readonly ReportRow[]): bigint {
  return rows.reduce((sum, { cells }) => sum + cells.cost.bill!, 0n);
}

/** Why the amounts of a pair cannot be compared; undefined if they can, or if neither side has any. */
export function reasonOf({ names, ledger, bill, isOnBill }: Pair): NotComparedReason | undefined {
  const isInLedger = ledger !== undefined && ledger.measures.counts.requests > 0;
  if (!isInLedger) return bill.measures.costPicos === 0n ? undefined : "not_in_ledger";
  if (!names) return "no_model_name";
  if (!ledger.isPriced) return "no_cost_price";
  return isOnBill || ledger.measures.costPicos === 0n ? undefined : "not_on_bill";
}

function notComparedIn(pair: Pair): NotCompared | undefined {
  const reason = reasonOf(pair);
  if (!reason) return undefined;
  const { day, names, ledger, bill } = pair;
  return {
    day,
    model: names && nameOf(names),
    reason,
    billPicos: bill.measures.costPicos,
    ledgerPicos: ledger?.isPriced === false ? undefined : (ledger?.measures.costPicos ?? 0n),
  };
}
