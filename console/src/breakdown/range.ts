import { dateFormat } from "../parts/format/locale.ts";
import { bucketAt, bucketsBetween, type Bucket, type CalendarUnit } from "../../../src/lib/time/calendar.ts";
import { formatOffset, TimeZone } from "../../../src/lib/time/time-zone.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A chart with more bars is not readable. */
export const MAX_DAYS = 200;
/** Ranges up to this length are shown by the hour. */
const DAYS_BY_HOUR = 2;

export const RANGES = [
  { id: "24h", label: "24 hours", days: 1 },
  { id: "7d", label: "7 days", days: 7 },
  { id: "30d", label: "30 days", days: 30 },
  { id: "90d", label: "90 days", days: 90 },
] as const;
type RangeId = (typeof RANGES)[number]["id"];

export const CUSTOM = "custom";
const DEFAULT: RangeId = "7d";

/** The range in the URL. `to` is inclusive: the last day of the range. */
export interface RangeSearch {
  readonly range?: string;
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
}

export const RANGE_SEARCH = ["range", "from", "to", "zone"] as const;

/** A time range with its granularity and time zone. */
export interface Range {
  readonly id: string;
  readonly zone: string;
  readonly unit: CalendarUnit;
  readonly fromMs: number;
  /** Undefined for a range that ends now. */
  readonly toMs: number | undefined;
  /** Why the URL is invalid; the default range is shown instead. */
  readonly problem: string | undefined;
}

/** Reads the range from the URL. It starts with a whole hour or day, so it is stable (and cacheable) until that hour or day ends. */
export function readRange(search: RangeSearch, nowMs: number, ownZone: string, usual: RangeId = DEFAULT): Range {
  const zone = TimeZone.find(search.zone ?? ownZone);
  if (!zone) {
    const problem = `Unknown time zone ${search.zone}. Showing ${ownZone} instead.`;
    return { ...readRange({ ...search, zone: TimeZone.find(ownZone) ? ownZone : "UTC" }, nowMs, "UTC", usual), problem };
  }
  if (search.range === CUSTOM) return readCustom(search, nowMs, zone);
  const { id, days } = RANGES.find((range) => range.id === search.range) ?? RANGES.find((range) => range.id === usual)!;
  const unit = days === 1 ? "hour" : "day";
  const fromMs =
    unit === "hour" ? bucketAt("hour", nowMs - 23 * HOUR_MS, zone).fromMs : zone.startOfDay(dateAt(nowMs, zone) - (days - 1) * DAY_MS);
  return { id, zone: zone.name, unit, fromMs, toMs: undefined, problem: undefined };
}

function readCustom(search: RangeSearch, nowMs: number, zone: TimeZone): Range {
  const [first, last] = [readDate(search.from), readDate(search.to)];
  const problem = problemOf(first, last, nowMs, zone);
  if (problem !== undefined) return { ...readRange({ zone: zone.name }, nowMs, zone.name), id: CUSTOM, problem };
  const toMs = zone.startOfDay(last + DAY_MS);
  return {
    id: CUSTOM,
    zone: zone.name,
    unit: last - first < DAYS_BY_HOUR * DAY_MS ? "hour" : "day",
    fromMs: zone.startOfDay(first),
    toMs: toMs > nowMs ? undefined : toMs,
    problem: undefined,
  };
}

function problemOf(first: number, last: number, nowMs: number, zone: TimeZone): string | undefined {
  if (Number.isNaN(first) || Number.isNaN(last)) return "Choose a start and an end date.";
  if (first > last) return "The start date is after the end date.";
  if (last - first >= MAX_DAYS * DAY_MS) return `The range is limited to ${MAX_DAYS} days.`;
  if (zone.startOfDay(first) >= nowMs) return "The range is in the future.";
  return undefined;
}

function readDate(text: string | undefined): number {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Today in the zone, as midnight of the same date in UTC. */
function dateAt(ms: number, zone: TimeZone): number {
  return Math.floor((ms + zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
}

/** The date in a time zone, in the format of `<input type=date>`. */
export function dayOf(ms: number, zone: string): string {
  return new Date(dateAt(ms, TimeZone.find(zone)!)).toISOString().slice(0, 10);
}

/**
 * The previous period: as many days as the range, and only the elapsed part of an incomplete last hour or day, so that both periods are
 * comparable.
 */
export function previousOf(range: Range, nowMs: number): Range {
  const { unit, zone: name, fromMs, toMs } = range;
  const zone = TimeZone.find(name)!;
  const count = bucketsOf(range, nowMs).length;
  const shift = (ms: number): number => {
    if (unit === "hour") return ms - count * HOUR_MS;
    const dateMs = dateAt(ms, zone);
    return zone.startOfDay(dateMs - count * DAY_MS) + (ms - zone.startOfDay(dateMs));
  };
  return { ...range, fromMs: shift(fromMs), toMs: toMs === undefined ? shift(nowMs) : fromMs };
}

/** All hours or days of the range, including those without usage. */
export function bucketsOf({ unit, fromMs, toMs, zone }: Range, nowMs: number): readonly Bucket[] {
  return bucketsBetween(unit, fromMs, toMs ?? Math.max(nowMs, fromMs + 1), TimeZone.find(zone)!);
}

/** The query parameters of a range. */
export function spanOf({ fromMs, toMs, zone }: Range): { from: string; to?: string; zone: string } {
  return { zone, from: new Date(fromMs).toISOString(), ...(toMs !== undefined && { to: new Date(toMs).toISOString() }) };
}

/** The range in words, always with its time zone. */
export function describeRange({ unit, fromMs, toMs, zone }: Range, nowMs: number): string {
  const style = dateFormat({
    timeZone: zone,
    dateStyle: "medium",
    ...(unit === "hour" && { timeStyle: "short" }),
  });
  const until = toMs === undefined ? "now" : `the end of ${style.format(toMs - 1)}`;
  const end = unit === "hour" && toMs !== undefined ? style.format(toMs) : until;
  return `From ${style.format(fromMs)} to ${end}, by ${unit} in ${zone} (UTC${formatOffset(TimeZone.find(zone)!.offsetAt(nowMs))}).`;
}

/** The first and the last day of a range, or its hours: `20 Oct – 18 Nov 2026`. */
export function describeDays({ unit, fromMs, toMs, zone }: Range, nowMs: number): string {
  const style = dateFormat({ timeZone: zone, dateStyle: "medium", ...(unit === "hour" && { timeStyle: "short" }) });
  return style.formatRange(fromMs, (toMs ?? nowMs) - 1);
}
