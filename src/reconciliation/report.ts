import type { Bill } from "./bill.ts";
import type { Money, NotCompared } from "./money.ts";
import type { Cells, ReportRow } from "./report-row.ts";

/** The comparison of the ledger with a provider's bill. */
export interface Report {
  readonly from: string;
  readonly to: string;
  readonly bill: Pick<Bill, "format" | "lines" | "measures" | "ignoredColumns" | "span">;
  /** By day, then by model. */
  readonly rows: readonly ReportRow[];
  readonly totals: Cells;
  readonly drifts: boolean;
  /** Whether both sides were compared completely, and nothing drifts. */
  readonly agrees: boolean;
  /** Undefined if the bill has no amounts. */
  readonly money: Money | undefined;
  /** By day, then by model. */
  readonly notCompared: readonly NotCompared[];
  readonly daysNotOnBill: readonly string[];
  readonly daysNotInLedger: readonly string[];
  /** Names without a counterpart on the other side. */
  readonly modelsNotOnBill: readonly string[];
  readonly modelsNotInLedger: readonly string[];
  /** Models whose amounts could not be compared. */
  readonly modelsWithoutPrice: readonly string[];
  /** The number of models and days on the bill outside of the compared range. */
  readonly outsideSpan: number;
}
