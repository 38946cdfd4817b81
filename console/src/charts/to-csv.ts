import { allSeries, type ChartData } from "./chart-data.ts";

/** A chart as CSV (RFC 4180). Numbers are not rounded, so that they add up. */
export function toCsv(data: ChartData): string {
  const head = ["time", "is_partial", ...allSeries(data).map(({ id, column = id }) => cell(column))];
  const lines = data.slots.map((slot, at) => [
    slot.name,
    String(slot.isPartial),
    ...allSeries(data).map(({ values, exact }) => exact?.[at] ?? values[at]?.toString() ?? ""),
  ]);
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Names of keys and end users may be any text. They are quoted if needed, and a spreadsheet must never run them as a formula. */
function cell(name: string): string {
  const safe = /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
