import type { UsagePage, UsageRow, UsageTotal } from "../../../../platform-client/types.ts";
import { bucketsBetween, type Bucket } from "../../../lib/time/calendar.ts";
import { TimeZone } from "../../../lib/time/time-zone.ts";
import { drawBars, drawKey, SHADES, type Bar } from "../../chart.ts";
import { UsageError } from "../../command.ts";
import { formatCount } from "../../format-values.ts";
import { nameOf, withKeyNames, type Group } from "./usage-report.ts";

/** Where nobody knows how wide the screen is. */
export const USUAL_WIDTH = 80;
/** Below this, days go without their year. */
const NARROW = 60;
const MOST_BARS = 20;
/** So many hours or days without use are drawn; more in a row are one line. */
const MOST_EMPTY = 3;
const MOST_LINES = 200;
const HINT = "ask for less with --from and --to";
const HINTS: Readonly<Partial<Record<Group, string>>> = { hour: `${HINT}, or use --by day` };

/** What bars are as long as: dollars, or requests where nothing had a price. */
interface Measure {
  readonly name: string;
  readonly of: (measures: UsageTotal) => number;
  readonly format: (value: number) => string;
}

/** A row of the chart while it is made: by time, or by the first thing that was asked for. */
interface Line {
  readonly label: string;
  readonly isPartial: boolean;
  readonly bySeries: ReadonlyMap<string, number>;
}

/** In place of hours or days of which there is nothing. */
interface Gap {
  readonly without: string;
}

/**
 * A report as bars. Of time every hour or day has one, also where nothing was used, unless that goes on for long; of other things
 * the largest have. What comes to nothing is left out.
 */
export function drawUsage(page: UsagePage, groups: readonly Group[], width: number): string {
  const measure = measureFor(page);
  const [by, series] = inOrder(groups);
  const named = withKeyNames(page);
  const all = by === "hour" || by === "day" ? linesOfTime(named, by, series, measure, width) : linesOfThings(named, by, series, measure);
  if (all.length > MOST_LINES) throw new UsageError(`a chart of ${formatCount(all.length, "line")} helps nobody: ${HINTS[by] ?? HINT}`);
  const lines = all.filter((line) => "label" in line);
  const title = `${measure.name} by ${[by, series].filter(Boolean).join(" and ")}`;
  if (lines.length === 0) return `${title}\n\nThere is nothing to draw.\n`;
  const shown = series === undefined ? [""] : largestSeries(lines);
  const bars = drawBars(
    lines.map((line) => toBar(line, shown, measure)),
    width,
  ).split("\n");
  const drawn = all.map((line) => `${"label" in line ? bars.shift()! : line.without}\n`).join("");
  return `${title}\n\n${drawn}${series === undefined || shown.length === 0 ? "" : `\n${keyOf(lines, shown, measure, width)}`}`;
}

function keyOf(lines: readonly Line[], shown: readonly string[], measure: Measure, width: number): string {
  return drawKey(
    shown.map((name) => [name, measure.format(sumIn(lines, name, shown))]),
    width,
  );
}

/** Time first, however it was asked for. */
function inOrder(groups: readonly Group[]): [by: Group, series: Group | undefined] {
  const [first, second] = groups as [Group, Group | undefined];
  return second === "hour" || second === "day" ? [second, first] : [first, second];
}

function measureFor({ total, data }: UsagePage): Measure {
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

function linesOfTime(page: UsagePage, by: "hour" | "day", series: Group | undefined, measure: Measure, width: number): (Line | Gap)[] {
  const zone = TimeZone.find(page.zone)!;
  const rows = Map.groupBy(page.data, (row) => nameOf(row, by));
  const buckets = bucketsBetween(by, Date.parse(page.from), Date.parse(page.to), zone);
  const label = by === "hour" ? hourLabels(buckets) : ({ name }: Bucket): string => name;
  const lines: (Line | Gap)[] = [];
  for (let at = 0; at < buckets.length;) {
    const bucket = buckets[at]!;
    const empty = emptyFrom(buckets, at, rows);
    if (empty > MOST_EMPTY) lines.push({ without: `… ${formatCount(empty, by)} without requests` });
    else {
      const of = rows.get(bucket.name) ?? [];
      const shown = label(bucket).slice(width < NARROW ? 5 : 0);
      lines.push({ label: shown, isPartial: of.some((row) => row.is_partial), bySeries: addUp(of, series, measure) });
    }
    at += empty > MOST_EMPTY ? empty : 1;
  }
  return lines;
}

/** How many in a row have nothing in them. */
function emptyFrom(buckets: readonly Bucket[], first: number, rows: ReadonlyMap<string, unknown>): number {
  let end = first;
  while (end < buckets.length && !rows.has(buckets[end]!.name)) end++;
  return end - first;
}

/** `2027-10-31T02:00`, with its offset on a day that has two of them. */
function hourLabels(buckets: readonly Bucket[]): (bucket: Bucket) => string {
  const offsets = new Map<string, Set<string>>();
  for (const { name } of buckets) {
    const day = name.slice(0, 10);
    offsets.set(day, (offsets.get(day) ?? new Set()).add(name.slice(16)));
  }
  return ({ name }) => (offsets.get(name.slice(0, 10))!.size > 1 ? name : name.slice(0, 16));
}

function linesOfThings(page: UsagePage, by: Group, series: Group | undefined, measure: Measure): Line[] {
  const rows = [...Map.groupBy(page.data, (row) => nameOf(row, by))];
  const lines = rows
    .map(([label, of]) => ({ label, isPartial: false, bySeries: addUp(of, series, measure) }))
    .filter(({ bySeries }) => sum(bySeries.values()) > 0);
  const inOrderOfSize = lines.toSorted((one, other) => sum(other.bySeries.values()) - sum(one.bySeries.values()));
  if (lines.length <= MOST_BARS) return inOrderOfSize;
  const rest = new Set(inOrderOfSize.slice(MOST_BARS - 1).map(({ label }) => label));
  const others = addUp(
    page.data.filter((row) => rest.has(nameOf(row, by))),
    series,
    measure,
  );
  return [...inOrderOfSize.slice(0, MOST_BARS - 1), { label: formatCount(rest.size, "other"), isPartial: false, bySeries: others }];
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

/** As many as can be told apart; what is left is one. */
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
  return { label: line.label, parts: partsOf(line, shown), value, ...(line.isPartial && { note: "(part)" }) };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
