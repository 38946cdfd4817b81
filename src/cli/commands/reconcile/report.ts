import type {
  DriftReasons,
  ReconciledBill,
  ReconciledCost,
  ReconciledCount,
  ReconciledDays,
  ReconciledModels,
  ReconciledRow,
  ReconciledTotals,
  Reconciliation,
} from "../../../../platform-client/types.ts";

/** A reconciliation as the platform returns it, with every field that its schema leaves optional. */
export interface Report extends Omit<Reconciliation, "bill" | "totals" | "days" | "models" | "rows"> {
  readonly bill: Required<Omit<ReconciledBill, "compared">> & { readonly compared: readonly MeasureName[] };
  readonly totals: Cells;
  readonly days: Required<ReconciledDays>;
  readonly models: Required<ReconciledModels>;
  readonly rows: readonly Row[];
}

export type Row = Required<Omit<ReconciledRow, "reasons">> & { readonly reasons: Required<DriftReasons> };

export type MeasureName = keyof ReconciledTotals;

export type Cells = Required<ReconciledTotals>;

export type Cell = ReconciledCount | ReconciledCost;
