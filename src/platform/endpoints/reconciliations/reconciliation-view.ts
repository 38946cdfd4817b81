import { COUNTS, type Measure } from "../../../reconciliation/measures.ts";
import { nameOf } from "../../../reconciliation/model-names.ts";
import { differenceIn, percentIn, type Cell, type Cells, type Report, type ReportRow } from "../../../reconciliation/report.ts";
import { formatPicos } from "../../../vocabulary/money.ts";
import type { Schema } from "../../../vocabulary/schema.ts";

/** What the request said, and what comes of it. */
export interface Asked {
  readonly provider: string | undefined;
  readonly upstreams: readonly string[];
  readonly zone: string;
  readonly percent: number;
  /** Whether the last day is. */
  readonly isOver: boolean;
}

const NAMES: Readonly<Record<Measure, string>> = {
  requests: "requests",
  input: "input_tokens",
  cached: "cached_tokens",
  cacheWrite: "cache_write_tokens",
  output: "output_tokens",
  cost: "cost",
};

export function viewReconciliation(report: Report, { provider, upstreams, zone, percent, isOver }: Asked): object {
  const { bill } = report;
  return {
    provider: provider ?? null,
    upstreams,
    zone,
    from: report.from,
    to: report.to,
    is_over: isOver,
    threshold_percent: percent,
    drifts: report.drifts,
    bill: {
      format: bill.format,
      lines: bill.lines,
      from: bill.span?.from ?? null,
      to: bill.span?.to ?? null,
      compared: ([...COUNTS, "cost"] as const).filter((measure) => bill.measures.has(measure)).map((measure) => NAMES[measure]),
      ignored_columns: bill.ignoredColumns,
      outside_span: report.outsideSpan,
    },
    totals: viewCells(report.totals),
    days: { not_on_bill: report.daysNotOnBill, not_in_ledger: report.daysNotInLedger },
    models: { not_on_bill: report.modelsNotOnBill, not_in_ledger: report.modelsNotInLedger, without_price: report.modelsWithoutPrice },
    rows: report.rows.map(viewRow),
  };
}

function viewRow({ day, names, cells, reasoningTokens, drifts, reasons }: ReportRow): object {
  return {
    day,
    model: names ? nameOf(names) : null,
    matched_by: names?.by ?? null,
    ledger_models: names?.ledger ?? [],
    bill_models: names?.bill ?? [],
    drifts,
    ...viewCells(cells),
    reasoning_tokens: reasoningTokens,
    reasons: {
      unmeasured_requests: reasons.unmeasuredRequests,
      unmeasured_tokens: reasons.unmeasuredTokens,
      unanswered_attempts: reasons.unansweredAttempts,
      requests_across_midnight: reasons.acrossMidnight,
      rounded_by: formatPicos(reasons.roundedByPicos),
    },
  };
}

function viewCells(cells: Cells): object {
  const { cost, ...counts } = cells;
  const entries = Object.entries(counts).map(([name, cell]) => [NAMES[name as Measure], viewCell(cell, Number)]);
  return { ...(Object.fromEntries(entries) as object), cost: viewCell(cost, formatPicos) };
}

function viewCell(cell: Cell, view: (amount: bigint) => number | string): object {
  const orNull = (amount: bigint | undefined): number | string | null => (amount === undefined ? null : view(amount));
  return {
    ledger: orNull(cell.ledger),
    bill: orNull(cell.bill),
    difference: orNull(differenceIn(cell)),
    percent: percentIn(cell) ?? null,
    drifts: cell.drifts,
  };
}

const percentSchema: Schema = {
  type: "number",
  nullable: true,
  description: "The difference, of what the ledger has. Null where that is nothing, and where there is nothing to compare.",
};

const countsSchema: Schema = {
  title: "ReconciledCount",
  type: "object",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "integer", nullable: true },
    bill: { type: "integer", nullable: true, description: "Null where the bill does not say." },
    difference: { type: "integer", nullable: true, description: "The bill's less the ledger's." },
    percent: percentSchema,
    drifts: { type: "boolean", description: "Whether the difference is above the threshold. Requests are shown, and never drift." },
  },
};

const costSchema: Schema = {
  title: "ReconciledCost",
  type: "object",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "string", nullable: true, description: "Dollars, at the provider's list price. Null where that is not known." },
    bill: { type: "string", nullable: true, description: "Dollars. Null where the bill does not say." },
    difference: { type: "string", nullable: true },
    percent: percentSchema,
    drifts: { type: "boolean" },
  },
};

const cellSchemas: Readonly<Record<string, Schema>> = {
  requests: countsSchema,
  input_tokens: { ...countsSchema, description: "Without those of the two below, where the bill tells them apart." },
  cached_tokens: countsSchema,
  cache_write_tokens: countsSchema,
  output_tokens: countsSchema,
  cost: costSchema,
};

const names: Schema = { type: "array", items: { type: "string" } };

const rowSchema: Schema = {
  title: "ReconciledRow",
  type: "object",
  required: ["day", "model", "drifts", ...Object.keys(cellSchemas), "reasons"],
  properties: {
    day: { type: "string", description: "Such as 2027-01-31." },
    model: { type: "string", nullable: true, description: "Null for answers from before the provider's name of the model was kept." },
    matched_by: { type: "string", nullable: true, enum: ["name", "date"], description: "Null where one side alone has it." },
    ledger_models: { ...names, description: "Its names in the ledger." },
    bill_models: { ...names, description: "Its names on the bill." },
    drifts: { type: "boolean" },
    ...cellSchemas,
    reasoning_tokens: { type: "integer", description: "Those of the ledger's output." },
    reasons: {
      title: "DriftReasons",
      type: "object",
      description: "What can make the two differ, without either being wrong.",
      properties: {
        unmeasured_requests: { type: "integer", description: "Those whose tokens the upstream has not counted to the end." },
        unmeasured_tokens: { type: "integer" },
        unanswered_attempts: { type: "integer", description: "Attempts that broke off or took too long, and may be billed." },
        requests_across_midnight: { type: "integer", description: "Those that began on one day and ended on another." },
        rounded_by: { type: "string", description: "Dollars: what the bill may be off by, because its amounts are rounded." },
      },
    },
  },
};

export const reconciliationSchema: Schema = {
  title: "Reconciliation",
  type: "object",
  required: [
    "provider",
    "upstreams",
    "zone",
    "from",
    "to",
    "is_over",
    "threshold_percent",
    "drifts",
    "bill",
    "totals",
    "days",
    "models",
    "rows",
  ],
  properties: {
    provider: { type: "string", nullable: true },
    upstreams: names,
    zone: { type: "string" },
    from: { type: "string" },
    to: { type: "string", description: "The last day, which is included." },
    is_over: { type: "boolean", description: "Whether the last day is over." },
    threshold_percent: { type: "number" },
    drifts: { type: "boolean", description: "Whether any row does." },
    bill: {
      type: "object",
      properties: {
        format: { type: "string", enum: ["openai_usage", "openai_costs", "anthropic_usage", "anthropic_costs", "plain"] },
        lines: { type: "integer" },
        from: { type: "string", nullable: true, description: "The first day that it has; null where it has none." },
        to: { type: "string", nullable: true, description: "The last one." },
        compared: { ...names, description: "What the bill can be compared in." },
        ignored_columns: names,
        outside_span: { type: "integer", description: "Models and days of the bill that are before `from` or after `to`." },
      },
    },
    totals: {
      title: "ReconciledTotals",
      type: "object",
      properties: cellSchemas,
      description: "Over the rows of which both sides know it.",
    },
    days: { type: "object", properties: { not_on_bill: names, not_in_ledger: names } },
    models: { type: "object", properties: { not_on_bill: names, not_in_ledger: names, without_price: names } },
    rows: { type: "array", items: rowSchema, description: "By day and model. What is nothing on both sides is left out." },
  },
};
