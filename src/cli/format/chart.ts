import { formatColumns, truncate, widthOf } from "./table.ts";

/** A bar of a chart, with a number for each series. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly number[];
  /** The formatted sum. */
  readonly value: string;
  readonly note?: string;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/** The shades of the series. No colours: they are lost on paper, in a log, and for some readers. */
export const SHADES = ["█", "▓", "▒", "░", "·"] as const;
/** The axis of the chart, at the left of each bar. */
const ZERO = "▕";
/** Labels are truncated down to this width while bars are shorter than the minimum. */
const MIN_LABEL = 10;
const MIN_BAR = 8;
const MAX_LABEL = 40;

/**
 * A horizontal bar chart with the value behind each bar. With one series a bar is exact to an eighth of a column, with several to a column.
 */
export function drawBars(bars: readonly Bar[], width: number): string {
  const values = alignRight(bars.map(({ value, note }) => [value, note ?? ""]));
  const most = Math.max(...bars.map(sumOf));
  const beside = Math.max(0, ...values.map(widthOf)) + ZERO.length + 2;
  const longest = Math.max(...bars.map(({ label }) => widthOf(label)));
  const labelWidth = Math.min(MAX_LABEL, longest, Math.max(MIN_LABEL, width - beside - MIN_BAR));
  const room = Math.max(1, width - beside - labelWidth);
  const lines = bars.map((bar, at) => {
    const label = pad(truncate(bar.label, labelWidth), labelWidth);
    return `${label} ${ZERO}${pad(drawBar(bar, most, room), room)} ${values[at]!}`.trimEnd();
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** The legend of the series. */
export function drawLegend(series: readonly (readonly [name: string, value: string])[], width: number): string {
  const values = alignRight(series.map(([, value]) => [value, ""]));
  const room = width - Math.max(...values.map(widthOf)) - 6;
  return formatColumns(series.map(([name], at) => [SHADES[at]!.repeat(2), truncate(name, Math.max(4, room)), values[at]!]));
}

function drawBar(bar: Bar, most: number, room: number): string {
  if (most <= 0) return "";
  return bar.parts.length === 1 ? drawExactly((bar.parts[0]! / most) * room) : drawParts(bar.parts, most, room);
}

/** Exact to an eighth of a column; anything above zero is visible. */
function drawExactly(columns: number): string {
  const eighths = columns > 0 ? Math.max(1, Math.round(columns * 8)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** Each part starts where the previous one ends, so that rounding errors do not add up. */
function drawParts(parts: readonly number[], most: number, room: number): string {
  let [bar, sum, drawn] = ["", 0, 0];
  parts.forEach((part, at) => {
    sum += part;
    const end = Math.round((sum / most) * room);
    bar += SHADES[at]!.repeat(end - drawn);
    drawn = end;
  });
  return bar === "" && sum > 0 ? SHADES[parts.findIndex((part) => part > 0)]! : bar;
}

function sumOf({ parts }: Bar): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

/** Right-aligned numbers, with notes behind them. */
function alignRight(cells: readonly (readonly [value: string, note: string])[]): string[] {
  const width = Math.max(0, ...cells.map(([value]) => widthOf(value)));
  return cells.map(([value, note]) => `${" ".repeat(width - widthOf(value))}${value}${note === "" ? "" : ` ${note}`}`);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
