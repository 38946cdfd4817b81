import { COUNTS, type Measure } from "../../../reconciliation/measures.ts";
import { nameOf } from "../../../reconciliation/model-names.ts";
import type { Report } from "../../../reconciliation/report.ts";
import { differenceIn, percentIn, type Cell, type Cells, type ReportRow } from "../../../reconciliation/report-row.ts";
import { formatPicos } from "../../../money/money.ts";
import { viewMoney, viewNotCompared } from "./money-view.ts";

/** The parameters of a reconciliation and its result. */
export interface ReconciliationOptions {
  readonly provider: string | undefined;
  readonly upstreams: readonly string[];
  readonly zone: string;
  readonly percent: number;
  /** Whether the last day has ended. */
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

export function viewReconciliation(report: Report, { provider, upstreams, zone, percent, isOver }: ReconciliationOptions) {
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
    agrees: report.agrees,
    money: report.money ? viewMoney(report.money) : null,
    bill: {
      format: bill.format,
      lines: bill.lines,
      from: bill.span?.from ?? null,
      to: bill.span?.to ?? null,
      compared: ([...COUNTS, "cost"] as const).filter((measure) => bill.measures.has(measure)).map((measure) => NAMES[measure]),
      ignored_columns: bill.ignoredColumns,
      outside_range: report.outsideSpan,
    },
    totals: viewCells(report.totals),
    days: { not_on_bill: report.daysNotOnBill, not_in_ledger: report.daysNotInLedger },
    models: { not_on_bill: report.modelsNotOnBill, not_in_ledger: report.modelsNotInLedger, without_price: report.modelsWithoutPrice },
    rows: report.rows.map(viewRow),
    not_compared: report.notCompared.map(viewNotCompared),
  };
}

function viewRow({ day, names, cells, reasoningTokens, drifts, reasons }: ReportRow) {
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

function viewCells({ requests, input, cached, cacheWrite, output, cost }: Cells) {
  return {
    requests: viewCell(requests, Number),
    input_tokens: viewCell(input, Number),
    cached_tokens: viewCell(cached, Number),
    cache_write_tokens: viewCell(cacheWrite, Number),
    output_tokens: viewCell(output, Number),
    cost: viewCell(cost, formatPicos),
  };
}

function viewCell<Shown>(cell: Cell, view: (amount: bigint) => Shown) {
  const orNull = (amount: bigint | undefined): Shown | null => (amount === undefined ? null : view(amount));
  return {
    ledger: orNull(cell.ledger),
    bill: orNull(cell.bill),
    difference: orNull(differenceIn(cell)),
    percent: percentIn(cell) ?? null,
    drifts: cell.drifts,
  };
}
