import type { ChartData } from "./chart-data.ts";

/** A chart as CSV (RFC 4180). Numbers are not rounded, so that they add up. */
export function toCsv({ slots, series }: ChartData): string {
  const head = ["time", "is_partial", ...series.map(({ id }) => id)];
  const lines = slots.map((slot, at) => [
    slot.name,
    String(slot.isPartial),
    ...series.map(({ values, exact }) => exact?.[at] ?? values[at]?.toString() ?? ""),
  ]);
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}
