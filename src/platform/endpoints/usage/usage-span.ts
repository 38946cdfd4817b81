import { bucketAt, bucketsBetween, QUARTER_MS, type Bucket, type CalendarUnit } from "../../../lib/time/calendar.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { TimeZone } from "../../../lib/time/time-zone.ts";
import { readTime } from "../fields/times.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
export const DEFAULT_SPAN_DAYS = 30;
/** By hour: of a month nobody would look at each. */
export const DEFAULT_SPAN_HOURS = 48;
export const MAX_SPAN_DAYS = 366;

/** What a report is of: from one moment to another, by the calendar of a zone. */
export interface UsageSpan {
  readonly zone: TimeZone;
  readonly fromMs: number;
  readonly toMs: number;
  /** The hours or days that it has any part of; none where it is all one. */
  readonly buckets: readonly Bucket[];
}

interface SpanQuery {
  readonly zone?: string;
  readonly from?: string;
  readonly to?: string;
}

export function readSpan({ zone: name = "UTC", from, to }: SpanQuery, unit: CalendarUnit | undefined, nowMs: number): UsageSpan {
  const zone = TimeZone.find(name);
  if (!zone) throw new GatewayError("invalid_value", "zone must be the name of a time zone, such as Europe/Berlin.", { param: "zone" });
  const toMs = to === undefined ? nowMs : readMoment(to, "to", zone);
  const fromMs = from === undefined ? usualBegin(toMs, unit, zone) : readMoment(from, "from", zone);
  if (fromMs >= toMs) throw new GatewayError("invalid_value", "from must be before `to`.", { param: "from" });
  // Days are not all of 24 hours.
  if (toMs - fromMs > (MAX_SPAN_DAYS + 0.5) * DAY_MS) {
    throw new GatewayError("invalid_value", `from must be at most ${MAX_SPAN_DAYS} days before \`to\`.`, { param: "from" });
  }
  return { zone, fromMs, toMs, buckets: unit ? bucketsBetween(unit, fromMs, toMs, zone) : [] };
}

/** The bounds of the buckets, as far as the span goes. */
export function boundsOf({ fromMs, toMs, buckets }: UsageSpan): number[] {
  return [fromMs, ...buckets.slice(1).map((bucket) => bucket.fromMs), toMs];
}

/** A date is its first moment in the zone. */
function readMoment(text: string, param: string, zone: TimeZone): number {
  const ms = readTime(text, param);
  return text.includes("T") ? ms : zone.startOfDay(ms);
}

/** At the beginning of a day or an hour, so that the first one is whole; and of a quarter hour, because those are added up already. */
function usualBegin(toMs: number, unit: CalendarUnit | undefined, zone: TimeZone): number {
  const ms = toMs - (unit === "hour" ? DEFAULT_SPAN_HOURS * HOUR_MS : DEFAULT_SPAN_DAYS * DAY_MS);
  return unit ? bucketAt(unit, ms, zone).fromMs : Math.floor(ms / QUARTER_MS) * QUARTER_MS;
}
