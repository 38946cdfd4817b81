import { cutTo, formatColumns } from "./table.ts";

/** A bar of a chart: what it is called, and what it is made of, a number for each series. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly number[];
  /** The sum, in words. */
  readonly value: string;
  readonly note?: string;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/** What tells series apart. No colours: they mean nothing on paper, in a log, or to some who read them. */
export const SHADES = ["█", "▓", "▒", "░", "·"] as const;
/** The line that bars stand on: nothing is left of it. */
const ZERO = "▕";
/** Labels give way to bars down to this, as long as bars are shorter than that. */
const LEAST_LABEL = 10;
const LEAST_BAR = 8;
const MOST_LABEL = 40;

/**
 * Bars from zero, below each other, in so many columns of a terminal; what each comes to stands behind it. With one series a bar is
 * exact to an eighth of a column, with several to a column.
 */
export function drawBars(bars: readonly Bar[], width: number): string {
  const values = alignRight(bars.map(({ value, note }) => [value, note ?? ""]));
  const most = Math.max(...bars.map(sumOf));
  const beside = Math.max(0, ...values.map(widthOf)) + ZERO.length + 2;
  const longest = Math.max(...bars.map(({ label }) => widthOf(label)));
  const labelWidth = Math.min(MOST_LABEL, longest, Math.max(LEAST_LABEL, width - beside - LEAST_BAR));
  const room = Math.max(1, width - beside - labelWidth);
  const lines = bars.map((bar, at) => {
    const label = pad(cutTo(bar.label, labelWidth), labelWidth);
    return `${label} ${ZERO}${pad(drawBar(bar, most, room), room)} ${values[at]!}`.trimEnd();
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** The names of the series, with what each looks like. */
export function drawKey(series: readonly (readonly [name: string, value: string])[], width: number): string {
  const values = alignRight(series.map(([, value]) => [value, ""]));
  const room = width - Math.max(...values.map(widthOf)) - 6;
  return formatColumns(series.map(([name], at) => [SHADES[at]!.repeat(2), cutTo(name, Math.max(4, room)), values[at]!]));
}

function drawBar(bar: Bar, most: number, room: number): string {
  if (most <= 0) return "";
  return bar.parts.length === 1 ? drawExactly((bar.parts[0]! / most) * room) : drawParts(bar.parts, most, room);
}

/** To an eighth of a column. What is not zero can be seen. */
function drawExactly(columns: number): string {
  const eighths = columns > 0 ? Math.max(1, Math.round(columns * 8)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** Each part begins where the one before it ends, so that rounding never adds up. */
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

/** Numbers end in one column; what is noted stands behind them. */
function alignRight(cells: readonly (readonly [value: string, note: string])[]): string[] {
  const width = Math.max(0, ...cells.map(([value]) => widthOf(value)));
  return cells.map(([value, note]) => `${" ".repeat(width - widthOf(value))}${value}${note === "" ? "" : ` ${note}`}`);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function widthOf(text: string): number {
  return Bun.stringWidth(text);
}
