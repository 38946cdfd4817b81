import type { ReconciledRow, Reconciliation } from "../../../../platform-client/types.ts";
import type { ChartData, Series } from "../../charts/chart-data.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";

export type Measure = Reconciliation["bill"]["compared"][number];

export const MEASURES: Readonly<Record<Measure, string>> = {
  requests: "Requests",
  input_tokens: "Input tokens",
  cached_tokens: "Cached input tokens",
  cache_write_tokens: "Cache write tokens",
  output_tokens: "Output tokens",
  cost: "Cost",
};

const DAY_MS = 86_400_000;

/** The drift of each day, in percent of the ledger's value and without a sign. The number of requests never drifts. */
export function driftByDay({ from, to, is_over: isOver, bill, rows }: Reconciliation): ChartData {
  const days = daysBetween(from, to);
  const measures = bill.compared.filter((measure) => measure !== "requests");
  const series = measures.map((measure, at): Series => {
    const values = days.map((day) =>
      driftOf(
        rows.filter((row) => row.day === day),
        measure,
      ),
    );
    return { id: measure, label: MEASURES[measure], color: `var(--color-series-${at + 1})`, values };
  });
  const slots = days.map((day) => ({
    name: day,
    tick: calendarDay(day).replace(/ \d{4}$/, ""),
    title: calendarDay(day),
    isPartial: !isOver && day === to,
  }));
  return { slots, series };
}

/** The drift over all rows that have a value on both sides; null if there are none. */
function driftOf(rows: readonly ReconciledRow[], measure: Measure): number | null {
  const both = rows.map((row) => row[measure]).filter(({ ledger, bill }) => ledger !== null && bill !== null);
  const [ledger, bill] = [sum(both.map((cell) => Number(cell.ledger))), sum(both.map((cell) => Number(cell.bill)))];
  if (both.length === 0) return null;
  if (ledger === 0) return bill === 0 ? 0 : 100;
  return Math.abs((bill - ledger) / ledger) * 100;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function daysBetween(from: string, to: string): string[] {
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length }, (_, at) => new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10));
}
