import { formatOffset, type TimeZone } from "./time-zone.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Every zone's clock differs from UTC by a multiple of this, so hours and days of any zone are made of them. */
export const QUARTER_MS = HOUR_MS / 4;

export type CalendarUnit = "hour" | "day";

/** An hour or a day of a zone's calendar. */
export class Bucket {
  readonly unit: CalendarUnit;
  readonly fromMs: number;
  readonly toMs: number;
  /** What the zone's clock shows at its beginning, as if it were UTC, and by how much it is ahead of that. */
  readonly #localMs: number;
  readonly #offsetMs: number;

  constructor(unit: CalendarUnit, fromMs: number, toMs: number, localMs: number, offsetMs: number) {
    this.unit = unit;
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.#localMs = localMs;
    this.#offsetMs = offsetMs;
  }

  /** `2027-01-31`, or `2027-10-31T02:00+02:00`: an hour that comes twice differs in its offset. */
  get name(): string {
    const local = new Date(this.#localMs).toISOString();
    return this.unit === "day" ? local.slice(0, 10) : `${local.slice(0, 16)}${formatOffset(this.#offsetMs)}`;
  }
}

/** The hours or days of a zone that have any part between two moments, in order. */
export function bucketsBetween(unit: CalendarUnit, fromMs: number, toMs: number, zone: TimeZone): Bucket[] {
  const buckets: Bucket[] = [];
  for (let ms = fromMs; ms < toMs;) {
    const bucket = bucketAt(unit, ms, zone);
    buckets.push(bucket);
    ms = bucket.toMs;
  }
  return buckets;
}

/** The hour or day that a moment is in. */
export function bucketAt(unit: CalendarUnit, ms: number, zone: TimeZone): Bucket {
  return unit === "hour" ? hourAt(ms, zone) : dayAt(ms, zone);
}

/** The day that a moment is in: 23 or 25 hours long where the clock is changed. */
function dayAt(ms: number, zone: TimeZone): Bucket {
  let dateMs = Math.floor((ms + zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
  // The clock was put back over midnight: a day that has begun goes on.
  if (zone.startOfDay(dateMs + DAY_MS) <= ms) dateMs += DAY_MS;
  let toMs = zone.startOfDay(dateMs + DAY_MS);
  // Samoa had no 30th of December in 2011.
  for (let next = dateMs + 2 * DAY_MS; toMs <= ms; next += DAY_MS) toMs = zone.startOfDay(next);
  return new Bucket("day", zone.startOfDay(dateMs), toMs, dateMs, zone.offsetAt(ms));
}

/** The hour that a moment is in, which ends early where the clock is changed within it. */
function hourAt(ms: number, zone: TimeZone): Bucket {
  const offset = zone.offsetAt(ms);
  const localMs = Math.floor((ms + offset) / HOUR_MS) * HOUR_MS;
  const [fromMs, toMs] = [localMs - offset, localMs - offset + HOUR_MS];
  const began = zone.offsetAt(fromMs) === offset ? fromMs : zone.changeAfter(fromMs, ms + 1)!;
  return new Bucket("hour", began, zone.changeAfter(ms, toMs) ?? toMs, localMs, offset);
}
