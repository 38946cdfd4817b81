import { bucketsBetween } from "../../../vocabulary/calendar.ts";
import { TimeZone } from "../../../vocabulary/time-zone.ts";
import { drawBars, drawKey, SHADES, type Bar } from "../../chart.ts";
import { inCount } from "../../words.ts";
import { nameOf, type Group, type MeasuresView, type UsagePageView, type UsageRowView } from "./usage-view.ts";

/** Where nobody knows how wide the screen is. */
export const USUAL_WIDTH = 80;
/** Below this, days go without their year. */
const NARROW = 60;
const MOST_BARS = 20;

/** What bars are as long as: dollars, or requests where nothing had a price. */
interface Measure {
  readonly name: string;
  readonly of: (measures: MeasuresView) => number;
  readonly format: (value: number) => string;
}

/** A row of the chart while it is made: by time, or by the first thing that was asked for. */
interface Line {
  readonly label: string;
  readonly isPartial: boolean;
  readonly bySeries: ReadonlyMap<string, number>;
}

/** A report as bars. Of time every hour or day has one, also where nothing was used; of other things the largest have. */
export function drawUsage(page: UsagePageView, groups: readonly Group[], width: number): string {
  const measure = measureFor(page);
  const [by, series] = inOrder(groups);
  const lines = by === "hour" || by === "day" ? linesOfTime(page, by, series, measure, width) : linesOfThings(page, by, series, measure);
  const title = `${measure.name} by ${[by, series].filter(Boolean).join(" and ")}`;
  if (lines.length === 0) return `${title}\n\nThere is nothing to draw.\n`;
  const shown = series === undefined ? [""] : largestSeries(lines);
  const bars = lines.map((line) => toBar(line, shown, measure));
  const key =
    series === undefined
      ? ""
      : `\n${drawKey(
          shown.map((name) => [name, measure.format(sumIn(lines, name, shown))]),
          width,
        )}`;
  return `${title}\n\n${drawBars(bars, width)}${key}`;
}

/** Time first, however it was asked for. */
function inOrder(groups: readonly Group[]): [by: Group, series: Group | undefined] {
  const [first, second] = groups as [Group, Group | undefined];
  return second === "hour" || second === "day" ? [second, first] : [first, second];
}

function measureFor({ total, data }: UsagePageView): Measure {
  if (Number(total.cost) === 0)
    return { name: "Requests", of: ({ requests }) => requests, format: (value) => value.toLocaleString("en-US") };
  const most = data.reduce((largest, { cost }) => Math.max(largest, Number(cost)), 0);
  return { name: "Dollars", of: ({ cost }) => Number(cost), format: dollarsLike(most) };
}

/** With two decimals, or, where all is small, with three digits. What is less than can be shown is said to be. */
function dollarsLike(most: number): (value: number) => string {
  const decimals = most >= 1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(most)));
  const least = 10 ** -decimals;
  return (value) => {
    if (value === 0) return "0";
    return value < least ? `<${least.toFixed(decimals)}` : value.toFixed(decimals);
  };
}

function linesOfTime(page: UsagePageView, by: "hour" | "day", series: Group | undefined, measure: Measure, width: number): Line[] {
  const zone = TimeZone.find(page.zone)!;
  const rows = Map.groupBy(page.data, (row) => nameOf(row, by));
  return bucketsBetween(by, Date.parse(page.from), Date.parse(page.to), zone).map(({ name, toMs, fromMs }) => ({
    label: width < NARROW ? name.slice(5) : name,
    isPartial: fromMs < Date.parse(page.from) || toMs > Date.parse(page.to),
    bySeries: addUp(rows.get(name) ?? [], series, measure),
  }));
}

function linesOfThings(page: UsagePageView, by: Group, series: Group | undefined, measure: Measure): Line[] {
  const rows = [...Map.groupBy(page.data, (row) => nameOf(row, by))];
  const lines = rows.map(([label, of]) => ({ label, isPartial: false, bySeries: addUp(of, series, measure) }));
  const inOrderOfSize = lines.toSorted((one, other) => sum(other.bySeries.values()) - sum(one.bySeries.values()));
  if (lines.length <= MOST_BARS) return inOrderOfSize;
  const rest = new Set(inOrderOfSize.slice(MOST_BARS - 1).map(({ label }) => label));
  const others = addUp(
    page.data.filter((row) => rest.has(nameOf(row, by))),
    series,
    measure,
  );
  return [...inOrderOfSize.slice(0, MOST_BARS - 1), { label: inCount(rest.size, "other"), isPartial: false, bySeries: others }];
}

function addUp(rows: readonly UsageRowView[], series: Group | undefined, measure: Measure): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = series === undefined ? "" : nameOf(row, series);
    sums.set(name, (sums.get(name) ?? 0) + measure.of(row));
  }
  return sums;
}

const OTHERS = "(others)";

/** As many as can be told apart; what is left is one. */
function largestSeries(lines: readonly Line[]): string[] {
  const names = [...new Set(lines.flatMap(({ bySeries }) => [...bySeries.keys()]))];
  const sizes = new Map(names.map((name) => [name, sum(lines.map(({ bySeries }) => bySeries.get(name) ?? 0))]));
  const inOrderOfSize = names.toSorted((one, other) => sizes.get(other)! - sizes.get(one)!);
  return names.length <= SHADES.length ? inOrderOfSize : [...inOrderOfSize.slice(0, SHADES.length - 1), OTHERS];
}

function partsOf({ bySeries }: Line, shown: readonly string[]): number[] {
  const parts = shown.map((name) => bySeries.get(name) ?? 0);
  if (shown.at(-1) === OTHERS) parts[parts.length - 1] = sum(bySeries.values()) - sum(parts.slice(0, -1));
  return parts;
}

function sumIn(lines: readonly Line[], name: string, shown: readonly string[]): number {
  return sum(lines.map((line) => partsOf(line, shown)[shown.indexOf(name)]!));
}

function toBar(line: Line, shown: readonly string[], measure: Measure): Bar {
  const value = measure.format(sum(line.bySeries.values()));
  return { label: line.label, parts: partsOf(line, shown), value, ...(line.isPartial && { note: "(part)" }) };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
