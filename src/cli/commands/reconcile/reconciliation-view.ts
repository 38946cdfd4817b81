/** What the platform answers. */
export interface ReconciliationView {
  readonly provider: string | null;
  readonly upstreams: readonly string[];
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly is_over: boolean;
  readonly threshold_percent: number;
  readonly drifts: boolean;
  readonly agrees: boolean;
  readonly money: MoneyView | null;
  readonly bill: {
    readonly format: string;
    readonly lines: number;
    readonly from: string | null;
    readonly to: string | null;
    readonly compared: readonly MeasureName[];
    readonly ignored_columns: readonly string[];
    readonly outside_span: number;
  };
  readonly totals: CellsView;
  readonly days: { readonly not_on_bill: readonly string[]; readonly not_in_ledger: readonly string[] };
  readonly models: {
    readonly not_on_bill: readonly string[];
    readonly not_in_ledger: readonly string[];
    readonly without_price: readonly string[];
  };
  readonly rows: readonly RowView[];
  readonly not_compared: readonly NotComparedView[];
}

/** The bill's amounts by what became of them. */
export interface MoneyView {
  readonly bill: string;
  readonly agreed: string;
  readonly differing: string;
  readonly not_compared: string;
}

export interface NotComparedView {
  readonly day: string;
  readonly model: string | null;
  readonly reason: "outside_range" | "not_in_ledger" | "not_on_bill" | "no_cost_price" | "no_model_name";
  readonly bill: string | null;
  readonly ledger: string | null;
}

export type MeasureName = "requests" | "input_tokens" | "cached_tokens" | "cache_write_tokens" | "output_tokens" | "cost";

export type CellsView = Readonly<Record<MeasureName, CellView>>;

export interface CellView {
  readonly ledger: number | string | null;
  readonly bill: number | string | null;
  readonly difference: number | string | null;
  readonly percent: number | null;
  readonly drifts: boolean;
}

export interface RowView extends CellsView {
  readonly day: string;
  readonly model: string | null;
  readonly matched_by: "name" | "date" | null;
  readonly ledger_models: readonly string[];
  readonly bill_models: readonly string[];
  readonly drifts: boolean;
  readonly reasons: {
    readonly unmeasured_requests: number;
    readonly unmeasured_tokens: number;
    readonly unanswered_attempts: number;
    readonly requests_across_midnight: number;
    readonly rounded_by: string;
  };
}
