import type { ReactNode } from "react";
import type { NotCompared, ReconciledCost, ReconciledCount, Reconciliation } from "../../../../platform-client/types.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { count, exactMoney, money, toHundredths } from "../../parts/format/format.ts";
import type { Column } from "../../parts/table.tsx";
import { MEASURES, type Measure } from "./drift.ts";

/** One value of a day and a model, on both sides. */
interface Line {
  readonly day: string;
  readonly model: string;
  readonly measure: Measure;
  readonly cell: ReconciledCount | ReconciledCost;
}

const NO_NAME = "(name not recorded)";

/** The values that drift, or all values of either side. */
export function linesOf({ rows, bill }: Reconciliation, isAll: boolean): Line[] {
  return rows.flatMap((row) =>
    bill.compared
      .map((measure) => ({ day: row.day, model: row.model ?? NO_NAME, measure, cell: row[measure] }))
      .filter(({ cell }) => cell.drifts || (isAll && (cell.ledger !== null || cell.bill !== null))),
  );
}

export const CELL_COLUMNS: readonly Column<Line>[] = [
  { title: "Day", cell: ({ day }) => calendarDay(day), className: "whitespace-nowrap" },
  { title: "Model", cell: ({ model }) => <span title={model}>{model}</span> },
  { title: "Measure", cell: ({ measure }) => MEASURES[measure], from: "sm" },
  { title: "Ledger", cell: ({ cell }) => <Amount of={cell.ledger} />, figures: true, from: "md" },
  { title: "Bill", cell: ({ cell }) => <Amount of={cell.bill} />, figures: true, from: "md" },
  { title: "Difference", cell: ({ cell }) => <Amount of={cell.difference} isSigned />, figures: true },
  { title: "%", cell: ({ cell }) => (cell.percent === null ? "" : withSign(toHundredths(cell.percent))), figures: true, from: "sm" },
];

const REASONS: Readonly<Record<NotCompared["reason"], string>> = {
  outside_range: "outside the compared days",
  not_in_ledger: "not in the ledger",
  not_on_bill: "not on the bill",
  no_cost_price: "no cost price",
  no_model_name: "upstream model was not recorded",
};

export const NOT_COMPARED_COLUMNS: readonly Column<NotCompared>[] = [
  { title: "Day", cell: ({ day }) => calendarDay(day), className: "whitespace-nowrap" },
  { title: "Model", cell: ({ model }) => <span title={model ?? undefined}>{model ?? NO_NAME}</span> },
  { title: "Bill", cell: ({ bill }) => <Amount of={bill} />, figures: true },
  { title: "Ledger", cell: ({ ledger }) => <Amount of={ledger} />, figures: true },
  { title: "Reason", cell: ({ reason }) => REASONS[reason], from: "sm" },
];

/** Tokens are numbers, and dollars are decimal text. */
function Amount({ of, isSigned = false }: { readonly of: number | string | null; readonly isSigned?: boolean }): ReactNode {
  if (of === null) return <span className="text-ink-3">–</span>;
  const text = typeof of === "number" ? count(of) : money(of);
  return <span title={typeof of === "number" ? undefined : exactMoney(of)}>{isSigned ? withSign(text) : text}</span>;
}

function withSign(text: string): string {
  return text.startsWith("-") || text.startsWith("−") || !/[1-9]/.test(text) ? text : `+${text}`;
}
