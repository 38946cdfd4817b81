import { isTollgateName } from "../systems/system.ts";
import { spread } from "./figures.ts";
import type { Figure } from "./result.ts";
import { line, logScale, picture, round, text, WIDTH } from "./svg.ts";

const [LEFT, RIGHT, TOP, ROW] = [110, WIDTH - 120, 56, 34];
const BAR = 18;

/** A bar chart on a logarithmic scale, lowest value first, with the interquartile range as a whisker. */
export function barPicture(figure: Figure, title: string): string {
  const rows = Object.keys(figure.samples)
    .map((system) => ({ system, spread: spread(figure, system)! }))
    .toSorted((a, b) => a.spread.median - b.spread.median);
  const [least, most] = decades(rows.map((row) => row.spread.median));
  const at = logScale(least, most, LEFT, RIGHT);
  const bottom = TOP + rows.length * ROW;
  const ticks: string[] = [];
  for (let value = least; value <= most; value *= 10) {
    ticks.push(
      line("grid", at(value), TOP - 8, at(value), bottom),
      text(at(value), bottom + 18, `${value.toLocaleString("en-US")} ${figure.unit}`, "small", "middle"),
    );
  }
  const bars = rows.map(({ system, spread: { median, low, high } }, index) => {
    const y = TOP + index * ROW + 4;
    const middle = y + BAR / 2;
    const kind = isTollgateName(system) ? "ours" : "bar";
    const whisker = [
      line("whisker", at(low), middle, at(high), middle),
      ...[low, high].map((end) => line("whisker", at(end), middle - 4, at(end), middle + 4)),
    ];
    return [
      text(LEFT - 10, middle + 5, system, "", "end"),
      `<rect class="${kind}" x="${LEFT}" y="${y}" width="${round(Math.max(2, at(median) - LEFT))}" height="${BAR}" rx="2"/>`,
      ...whisker,
      text(Math.max(at(high), at(median)) + 10, middle + 5, `${figures(median)} ${figure.unit}`),
    ].join("\n");
  });
  return picture(bottom + 32, title, [...ticks, ...bars].join("\n"));
}

function decades(values: readonly number[]): [least: number, most: number] {
  return [10 ** Math.floor(Math.log10(Math.min(...values) * 0.99)), 10 ** Math.ceil(Math.log10(Math.max(...values)))];
}

export function figures(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
