import { bucketAt, bucketsBetween, QUARTER_MS, type Bucket, type CalendarUnit } from "../../../lib/time/calendar.ts";
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

export function readSpan({ zone: name = "UTC", from, to }: SpanQuery, unit: CalendarUnit | undefined, nowMs: number): UsageSpan {
  const zone = TimeZone.find(name);
  if (!zone) throw new ApiError("invalid_value", "zone must be the name of a time zone, such as Europe/Berlin.", { param: "zone" });
  const toMs = to === undefined ? nowMs : readMoment(to, "to", zone);
  const fromMs = from === undefined ? usualBegin(toMs, unit, zone) : readMoment(from, "from", zone);
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

/**
 * Rounded to the start of a day or an hour, so that the first one is complete, and of a quarter hour, because those are pre-aggregated.
 */
function usualBegin(toMs: number, unit: CalendarUnit | undefined, zone: TimeZone): number {
  const ms = toMs - (unit === "hour" ? DEFAULT_SPAN_HOURS * HOUR_MS : DEFAULT_SPAN_DAYS * DAY_MS);
  return unit ? bucketAt(unit, ms, zone).fromMs : Math.floor(ms / QUARTER_MS) * QUARTER_MS;
}
