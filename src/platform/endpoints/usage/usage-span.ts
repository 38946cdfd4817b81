import { bucketAt, bucketsBetween, type Bucket, type CalendarUnit } from "../../../lib/time/calendar.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { TimeZone } from "../../../lib/time/time-zone.ts";
import { readTime } from "../fields/times.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_SPAN_DAYS = 30;
/** The limit by hour, where longer ranges would be unreadable. */
export const DEFAULT_SPAN_HOURS = 48;
export const MAX_SPAN_DAYS = 366;

/** The time range of a report, in the calendar of a time zone. */
export interface UsageSpan {
  readonly zone: TimeZone;
  readonly fromMs: number;
  readonly toMs: number;
  /** The hours or days that overlap the range; none without a granularity. */
  readonly buckets: readonly Bucket[];
}

interface SpanQuery {
  readonly zone?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `usualUnit`: the granularity whose usual range is meant where the query has no start. */
export function readSpan(
  { zone: name = "UTC", from, to }: SpanQuery,
  unit: CalendarUnit | undefined,
  nowMs: number,
  usualUnit = unit,
): UsageSpan {
  const zone = TimeZone.find(name);
  if (!zone) throw new ApiError("invalid_value", "zone must be the name of a time zone, such as Europe/Berlin.", { param: "zone" });
  const toMs = to === undefined ? nowMs : readMoment(to, "to", zone);
  const fromMs = from === undefined ? usualBegin(toMs, usualUnit, zone) : readMoment(from, "from", zone);
  if (fromMs >= toMs) throw new ApiError("invalid_value", "from must be before `to`.", { param: "from" });
  // Days are not all 24 hours long.
  if (toMs - fromMs > (MAX_SPAN_DAYS + 0.5) * DAY_MS) {
    throw new ApiError("invalid_value", `from must be at most ${MAX_SPAN_DAYS} days before \`to\`.`, { param: "from" });
  }
  return { zone, fromMs, toMs, buckets: unit ? bucketsBetween(unit, fromMs, toMs, zone) : [] };
}

/** The boundaries of the buckets within the range. */
export function boundsOf({ fromMs, toMs, buckets }: UsageSpan): number[] {
  return [fromMs, ...buckets.slice(1).map((bucket) => bucket.fromMs), toMs];
}

/** A date means its first moment in the time zone. */
function readMoment(text: string, param: string, zone: TimeZone): number {
  const ms = readTime(text, param);
  return text.includes("T") ? ms : zone.startOfDay(ms);
}

/** Whole hours, or calendar days of the zone: the day of the last moment is the last of them, so that "30 days" is the same range everywhere. */
function usualBegin(toMs: number, unit: CalendarUnit | undefined, zone: TimeZone): number {
  if (unit === "hour") return bucketAt("hour", toMs - DEFAULT_SPAN_HOURS * HOUR_MS, zone).fromMs;
  const lastMs = bucketAt("day", toMs - 1, zone).fromMs;
  const lastDateMs = Math.floor((lastMs + zone.offsetAt(lastMs)) / DAY_MS) * DAY_MS;
  return zone.startOfDay(lastDateMs - (DEFAULT_SPAN_DAYS - 1) * DAY_MS);
}
