import type { UsagePage, UsageRow, UsageTotal } from "../../../../platform-client/types.ts";
import { bucketsBetween, type Bucket } from "../../../lib/time/calendar.ts";
import { TimeZone } from "../../../lib/time/time-zone.ts";
import { drawBars, drawLegend, SHADES, type Bar } from "../../format/chart.ts";
import { UsageError } from "../../command.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { nameOf, withKeyNames, type Group } from "./usage-report.ts";

/** The width if stdout is not a terminal. */
export const DEFAULT_WIDTH = 80;
/** Below this width, days have no year. */
const NARROW = 60;
const MAX_BARS = 20;
/** Longer runs of empty hours or days are drawn as one line. */
const MAX_EMPTY = 3;
const MAX_LINES = 200;
const HINT = "narrow the range with --since and --until";
const HINTS: Readonly<Partial<Record<Group, string>>> = { hour: `${HINT}, or use --by day` };

/** The measure of the bars: dollars, or requests if nothing had a price. */
interface Measure {
  readonly name: string;
  readonly of: (measures: UsageTotal) => number;
  readonly format: (value: number) => string;
}

/** A row of the chart: an hour or day, or an item of the first group. */
interface Line {
  readonly label: string;
  readonly isPartial: boolean;
  readonly bySeries: ReadonlyMap<string, number>;
}

/** A run of hours or days without usage. */
interface Gap {
  readonly without: string;
}

/**
 * A report as a bar chart. Every hour or day has a bar, except in long runs without usage. In reports by other groups, only the largest items
 * have a bar. Items with a sum of zero are omitted.
 */
export function drawUsage(page: UsagePage, groups: readonly Group[], width: number): string {
  const measure = measureFor(page);
  const [by, series] = inOrder(groups);
  const named = withKeyNames(page);
  const all = by === "hour" || by === "day" ? linesOfTime(named, by, series, measure, width) : linesOfItems(named, by, series, measure);
  if (all.length > MAX_LINES) throw new UsageError(`the chart would have ${formatCount(all.length, "line")}: ${HINTS[by] ?? HINT}`);
  const lines = all.filter((line) => "label" in line);
  const title = `${measure.name} by ${[by, series].filter(Boolean).join(" and ")}`;
  if (lines.length === 0) return `${title}\n\nNo usage.\n`;
  const shown = series === undefined ? [""] : largestSeries(lines);
  const bars = drawBars(
    lines.map((line) => toBar(line, shown, measure)),
    width,
  ).split("\n");
  const drawn = all.map((line) => `${"label" in line ? bars.shift()! : line.without}\n`).join("");
  return `${title}\n\n${drawn}${series === undefined || shown.length === 0 ? "" : `\n${keyOf(lines, shown, measure, width)}`}`;
}

function keyOf(lines: readonly Line[], shown: readonly string[], measure: Measure, width: number): string {
  return drawLegend(
    shown.map((name) => [name, measure.format(sumIn(lines, name, shown))]),
    width,
  );
}

/** The bars are the hours or days if one of the two groups is by hour or day. */
function inOrder(groups: readonly Group[]): [by: Group, series: Group | undefined] {
  const [first, second] = groups as [Group, Group | undefined];
  return second === "hour" || second === "day" ? [second, first] : [first, second];
}

function measureFor({ total, data }: UsagePage): Measure {
  if (Number(total.cost) === 0) return { name: "Requests", of: ({ requests }) => requests, format: formatNumber };
  const most = data.reduce((largest, { cost }) => Math.max(largest, Number(cost)), 0);
  return { name: "Dollars", of: ({ cost }) => Number(cost), format: dollarsLike(most) };
}

/** Two decimals, or three significant digits if all amounts are small. Smaller amounts are shown as `<0.01`. */
function dollarsLike(most: number): (value: number) => string {
  const decimals = most >= 1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(most)));
  const least = 10 ** -decimals;
  return (value) => {
    if (value === 0) return "0";
    return value < least ? `<${least.toFixed(decimals)}` : value.toFixed(decimals);
  };
}

function linesOfTime(page: UsagePage, by: "hour" | "day", series: Group | undefined, measure: Measure, width: number): (Line | Gap)[] {
  const zone = TimeZone.find(page.zone)!;
  const rows = Map.groupBy(page.data, (row) => nameOf(row, by));
  const buckets = bucketsBetween(by, Date.parse(page.from), Date.parse(page.to), zone);
  const label = by === "hour" ? hourLabels(buckets) : ({ name }: Bucket): string => name;
  const lines: (Line | Gap)[] = [];
  for (let at = 0; at < buckets.length;) {
    const bucket = buckets[at]!;
    const empty = emptyFrom(buckets, at, rows);
    if (empty > MAX_EMPTY) lines.push({ without: `… ${formatCount(empty, by)} without requests` });
    else {
      const of = rows.get(bucket.name) ?? [];
      const shown = label(bucket).slice(width < NARROW ? 5 : 0);
      lines.push({ label: shown, isPartial: of.some((row) => row.is_partial), bySeries: addUp(of, series, measure) });
    }
    at += empty > MAX_EMPTY ? empty : 1;
  }
  return lines;
}

/** The length of the run of hours or days without usage that starts at `first`. */
function emptyFrom(buckets: readonly Bucket[], first: number, rows: ReadonlyMap<string, unknown>): number {
  let end = first;
  while (end < buckets.length && !rows.has(buckets[end]!.name)) end++;
  return end - first;
}

/** `2027-10-31T02:00`, with the UTC offset on a day with a clock change. */
function hourLabels(buckets: readonly Bucket[]): (bucket: Bucket) => string {
  const offsets = new Map<string, Set<string>>();
  for (const { name } of buckets) {
    const day = name.slice(0, 10);
    offsets.set(day, (offsets.get(day) ?? new Set()).add(name.slice(16)));
  }
  return ({ name }) => (offsets.get(name.slice(0, 10))!.size > 1 ? name : name.slice(0, 16));
}

function linesOfItems(page: UsagePage, by: Group, series: Group | undefined, measure: Measure): Line[] {
  const rows = [...Map.groupBy(page.data, (row) => nameOf(row, by))];
  const lines = rows
    .map(([label, of]) => ({ label, isPartial: false, bySeries: addUp(of, series, measure) }))
    .filter(({ bySeries }) => sum(bySeries.values()) > 0);
  const inOrderOfSize = lines.toSorted((one, other) => sum(other.bySeries.values()) - sum(one.bySeries.values()));
  if (lines.length <= MAX_BARS) return inOrderOfSize;
  const rest = new Set(inOrderOfSize.slice(MAX_BARS - 1).map(({ label }) => label));
  const others = addUp(
    page.data.filter((row) => rest.has(nameOf(row, by))),
    series,
    measure,
  );
  return [...inOrderOfSize.slice(0, MAX_BARS - 1), { label: formatCount(rest.size, "other"), isPartial: false, bySeries: others }];
}

function addUp(rows: readonly UsageRow[], series: Group | undefined, measure: Measure): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = series === undefined ? "" : nameOf(row, series);
    sums.set(name, (sums.get(name) ?? 0) + measure.of(row));
  }
  return sums;
}

const OTHERS = "(others)";

/** There are as many series as shades; the remaining items are one series. */
function largestSeries(lines: readonly Line[]): string[] {
  const all = [...new Set(lines.flatMap(({ bySeries }) => [...bySeries.keys()]))];
  const sizes = new Map(all.map((name) => [name, sum(lines.map(({ bySeries }) => bySeries.get(name) ?? 0))]));
  const names = all.filter((name) => sizes.get(name)! > 0);
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
  return { label: line.label, parts: partsOf(line, shown), value, ...(line.isPartial && { note: "(partial)" }) };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
