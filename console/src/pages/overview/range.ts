import { bucketAt, bucketsBetween, type Bucket, type CalendarUnit } from "../../../../src/lib/time/calendar.ts";
import { formatOffset, TimeZone } from "../../../../src/lib/time/time-zone.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No chart has more places than can be told apart. */
export const MAX_DAYS = 200;
/** Up to so many days are shown by the hour. */
const DAYS_BY_HOUR = 2;

export const RANGES = [
  { id: "24h", label: "24 hours", days: 1 },
  { id: "7d", label: "7 days", days: 7 },
  { id: "30d", label: "30 days", days: 30 },
  { id: "90d", label: "90 days", days: 90 },
] as const;

export const CUSTOM = "custom";
const USUAL = "7d";

/** As the address has it. `to` is the last day that is in it, as people say "from Monday to Friday". */
export interface RangeSearch {
  readonly range?: string;
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
}

/** From when to when, by hours or days of which zone. */
export interface Range {
  readonly id: string;
  readonly zone: string;
  readonly unit: CalendarUnit;
  readonly fromMs: number;
  /** Undefined where it goes on until now. */
  readonly toMs: number | undefined;
  /** What is wrong with what the address says; the usual range is shown then. */
  readonly problem: string | undefined;
}

/** What the address means at this moment. It begins with a whole hour or day, so it is the same until that is over. */
export function readRange(search: RangeSearch, nowMs: number, ownZone: string): Range {
  const zone = TimeZone.find(search.zone ?? ownZone);
  if (!zone) {
    const problem = `There is no time zone ${search.zone}. These are the days of ${ownZone}.`;
    return { ...readRange({ ...search, zone: TimeZone.find(ownZone) ? ownZone : "UTC" }, nowMs, "UTC"), problem };
  }
  if (search.range === CUSTOM) return readCustom(search, nowMs, zone);
  const { id, days } = RANGES.find((range) => range.id === search.range) ?? RANGES.find((range) => range.id === USUAL)!;
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
  if (Number.isNaN(first) || Number.isNaN(last)) return "Choose a first and a last day.";
  if (first > last) return "The first day is after the last.";
  if (last - first >= MAX_DAYS * DAY_MS) return `At most ${MAX_DAYS} days are shown at once.`;
  if (zone.startOfDay(first) >= nowMs) return "These days are yet to come.";
  return undefined;
}

function readDate(text: string | undefined): number {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Today in the zone, as midnight of the same date in UTC. */
function dateAt(ms: number, zone: TimeZone): number {
  return Math.floor((ms + zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
}

/** The day of the zone that a moment is in, as `<input type=date>` has it. */
export function dayOf(ms: number, zone: string): string {
  return new Date(dateAt(ms, TimeZone.find(zone)!)).toISOString().slice(0, 10);
}

/** All hours or days of it, those without use too. */
export function bucketsOf({ unit, fromMs, toMs, zone }: Range, nowMs: number): readonly Bucket[] {
  return bucketsBetween(unit, fromMs, toMs ?? Math.max(nowMs, fromMs + 1), TimeZone.find(zone)!);
}

/** As the platform is asked for it. */
export function spanOf({ fromMs, toMs, zone }: Range): { from: string; to?: string; zone: string } {
  return { zone, from: new Date(fromMs).toISOString(), ...(toMs !== undefined && { to: new Date(toMs).toISOString() }) };
}

/** In words, with the zone beside it: whose days these are is what people get wrong. */
export function describeRange({ unit, fromMs, toMs, zone }: Range, nowMs: number): string {
  const style = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    dateStyle: "medium",
    ...(unit === "hour" && { timeStyle: "short" }),
  });
  const until = toMs === undefined ? "now" : `the end of ${style.format(toMs - 1)}`;
  const end = unit === "hour" && toMs !== undefined ? style.format(toMs) : until;
  return `From ${style.format(fromMs)} to ${end}, by ${unit} in ${zone} (UTC${formatOffset(TimeZone.find(zone)!.offsetAt(nowMs))}).`;
}
