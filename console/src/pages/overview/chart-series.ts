import type { ChartData, Series, Slot } from "../../charts/chart-data.ts";
import type { Quantiles, RequestStatistics, StatisticsRow, UsagePage, UsageRow } from "../../platform/interface.ts";
import type { Range } from "./range.ts";
import { inSlots, slotsOf } from "./slots.ts";

const color = (at: number | "rest"): string => `var(--color-series-${at})`;

type Rows<Row> = readonly (Row | undefined)[];

/** Dollars. Numbers are drawn; what the platform said goes into files. */
export function spendOf(page: UsagePage, range: Range): ChartData {
  const [slots, rows] = placed(page, range);
  const exact = rows.map((row) => row?.cost ?? "0.00");
  return { slots, series: [{ id: "cost", label: "Dollars", color: color(1), values: exact.map(Number), exact }] };
}

export function tokensOf(page: UsagePage, range: Range): ChartData {
  const [slots, rows] = placed(page, range);
  return {
    slots,
    series: [
      counts(rows, "prompt_tokens", "In", 1, (row) => row.prompt_tokens),
      counts(rows, "completion_tokens", "Out", 3, (row) => row.completion_tokens),
    ],
  };
}

/** By the request log: how each request came out. */
export function outcomesOf(statistics: RequestStatistics, range: Range): ChartData {
  const [slots, rows] = placed(statistics, range);
  return {
    slots,
    series: [
      counts(rows, "succeeded", "Succeeded", 1, (row) => row.succeeded),
      counts(rows, "refused", "Refused", 2, (row) => row.outcomes.refused),
      counts(rows, "failed", "Failed", 4, (row) => row.outcomes.failed),
      counts(rows, "left", "Left", "rest", (row) => row.outcomes.left),
    ],
  };
}

/** By the ledger, which knows only of those that were let in: for where no request log is kept. */
export function answersOf(page: UsagePage, range: Range): ChartData {
  const [slots, rows] = placed(page, range);
  return {
    slots,
    series: [counts(rows, "answered", "Answered", 1, (row) => row.requests), counts(rows, "failed", "Failed", 4, (row) => row.failed)],
  };
}

/** Until the last token. */
export function latencyOf(statistics: RequestStatistics, range: Range): ChartData {
  return timesOf(statistics, range, (row) => row.duration_ms);
}

export function firstTokensOf(statistics: RequestStatistics, range: Range): ChartData {
  return timesOf(statistics, range, (row) => row.first_token_ms);
}

/** Half of the requests, and 95 of 100, took at most so long. */
function timesOf(statistics: RequestStatistics, range: Range, pick: (row: StatisticsRow) => Quantiles): ChartData {
  const [slots, rows] = placed(statistics, range);
  const series = (id: "p50" | "p95", label: string, at: number): Series => ({
    id: `${id}_ms`,
    label,
    color: color(at),
    values: rows.map((row) => (row ? (pick(row)?.[id] ?? null) : null)),
  });
  return { slots, series: [series("p50", "Median", 1), series("p95", "95th percentile", 2)] };
}

/** `to` is when the platform has looked, where it goes on until now. */
function placed<Row extends UsageRow | StatisticsRow>(
  { data, to }: { readonly data: readonly Row[]; readonly to: string },
  range: Range,
): [Slot[], Rows<Row>] {
  const slots = slotsOf(range, Date.parse(to));
  const rows = inSlots(slots, data);
  // The request log may go back to within one of them only.
  return [slots.map((slot, at) => (rows[at]?.is_partial ? { ...slot, isPartial: true } : slot)), rows];
}

function counts<Row>(rows: Rows<Row>, id: string, label: string, at: number | "rest", count: (row: Row) => number): Series {
  return { id, label, color: color(at), values: rows.map((row) => (row ? count(row) : 0)) };
}
