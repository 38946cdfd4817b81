import type { ChartData, Series, Slot } from "../charts/chart-data.ts";
import type { Quantiles, RequestStatistics, StatisticsRow, UsagePage, UsageRow } from "../../../platform-client/types.ts";
import type { Range } from "./range.ts";
import { inSlots, slotsOf } from "./slots.ts";

export const color = (at: number | "rest"): string => `var(--color-series-${at})`;

type Rows<Row> = readonly (Row | undefined)[];

export function tokensOf(page: UsagePage, range: Range): ChartData {
  const [slots, rows] = bySlot(page, range);
  return {
    slots,
    series: [
      counts(rows, "prompt_tokens", "Input", 1, (row) => row.prompt_tokens),
      counts(rows, "completion_tokens", "Output", 3, (row) => row.completion_tokens),
    ],
  };
}

/** Request outcomes, from the request log. */
export function outcomesOf(statistics: RequestStatistics, range: Range): ChartData {
  const [slots, rows] = bySlot(statistics, range);
  return {
    slots,
    series: [
      counts(rows, "succeeded", "Succeeded", 1, (row) => row.succeeded),
      counts(rows, "refused", "Rejected", 2, (row) => row.outcomes.refused),
      counts(rows, "failed", "Failed", 4, (row) => row.outcomes.failed),
      counts(rows, "client_closed", "Client disconnected", "rest", (row) => row.outcomes.client_closed),
    ],
  };
}

/** Request outcomes from the ledger, which has no rejected requests. Used if the request log is off. */
export function ledgerOutcomesOf(page: UsagePage, range: Range): ChartData {
  const [slots, rows] = bySlot(page, range);
  return {
    slots,
    series: [counts(rows, "succeeded", "Succeeded", 1, (row) => row.requests), counts(rows, "failed", "Failed", 4, (row) => row.failed)],
  };
}

/** The time until the last token. */
export function latencyOf(statistics: RequestStatistics, range: Range): ChartData {
  return timesOf(statistics, range, (row) => row.duration_ms);
}

export function firstTokensOf(statistics: RequestStatistics, range: Range): ChartData {
  return timesOf(statistics, range, (row) => row.first_token_ms);
}

/** Median, 95th and 99th percentile per slot, from histograms: each is within 4.5 % of the exact value. */
function timesOf(statistics: RequestStatistics, range: Range, pick: (row: StatisticsRow) => Quantiles): ChartData {
  const [slots, rows] = bySlot(statistics, range);
  const series = (id: "p50" | "p95" | "p99", label: string, at: number): Series => ({
    id: `${id}_ms`,
    label,
    color: color(at),
    values: rows.map((row) => (row ? (pick(row)?.[id] ?? null) : null)),
  });
  return { slots, series: [series("p50", "Median", 1), series("p95", "95th percentile", 2), series("p99", "99th percentile", 4)] };
}

/** `to` is the time of the query for a range that ends now. */
function bySlot<Row extends UsageRow | StatisticsRow>(
  { data, to }: { readonly data: readonly Row[]; readonly to: string },
  range: Range,
): [Slot[], Rows<Row>] {
  const slots = slotsOf(range, Date.parse(to));
  const rows = inSlots(slots, data);
  // The request log may start within a slot.
  return [slots.map((slot, at) => (rows[at]?.is_partial ? { ...slot, isPartial: true } : slot)), rows];
}

function counts<Row>(rows: Rows<Row>, id: string, label: string, at: number | "rest", count: (row: Row) => number): Series {
  return { id, label, color: color(at), values: rows.map((row) => (row ? count(row) : 0)) };
}
