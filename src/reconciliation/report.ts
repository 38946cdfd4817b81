import type { Bill } from "./bill.ts";
import type { Money, NotCompared } from "./money.ts";
import type { Cells, ReportRow } from "./report-row.ts";

/** The ledger and a provider's bill, side by side. */
export interface Report {
  readonly from: string;
  readonly to: string;
  readonly bill: Pick<Bill, "format" | "lines" | "measures" | "ignoredColumns" | "span">;
  /** By day, then by model. */
  readonly rows: readonly ReportRow[];
  readonly totals: Cells;
  readonly drifts: boolean;
  /** Whether all of both sides was compared, and nothing drifts. */
  readonly agrees: boolean;
  /** Undefined where the bill has no amounts. */
  readonly money: Money | undefined;
  /** By day, then by model. */
  readonly notCompared: readonly NotCompared[];
  readonly daysNotOnBill: readonly string[];
  readonly daysNotInLedger: readonly string[];
  /** Names that have no counterpart on the other side. */
  readonly modelsNotOnBill: readonly string[];
  readonly modelsNotInLedger: readonly string[];
  /** Those whose money could not be compared. */
  readonly modelsWithoutPrice: readonly string[];
  /** What the bill has of other days than those that were asked for: so many models and days. */
  readonly outsideSpan: number;
}
