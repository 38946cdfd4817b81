import type { ChartData } from "./chart-data.ts";

/** A chart as a file for spreadsheets, RFC 4180. Numbers are as they came: rounded ones would not add up. */
export function toCsv({ slots, series }: ChartData): string {
  const head = ["time", "is_partial", ...series.map(({ id }) => id)];
  const lines = slots.map((slot, at) => [
    slot.name,
    String(slot.isPartial),
    ...series.map(({ values, exact }) => exact?.[at] ?? values[at]?.toString() ?? ""),
  ]);
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}
