import { formatOffset, type TimeZone } from "./time-zone.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The offset of every time zone is a multiple of this, so hours and days of any zone consist of whole quarters. */
export const QUARTER_MS = HOUR_MS / 4;

export type CalendarUnit = "hour" | "day";

/** An hour or a day of a zone's calendar. */
export class Bucket {
  readonly unit: CalendarUnit;
  readonly fromMs: number;
  readonly toMs: number;
  /** The local time at the start of the slot, as if it were UTC, and the offset from UTC. */
  readonly #localMs: number;
  readonly #offsetMs: number;

  constructor(unit: CalendarUnit, fromMs: number, toMs: number, localMs: number, offsetMs: number) {
    this.unit = unit;
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.#localMs = localMs;
    this.#offsetMs = offsetMs;
  }

  /** `2027-01-31`, or `2027-10-31T02:00+02:00`: a repeated hour differs in its offset. */
  get name(): string {
    const local = new Date(this.#localMs).toISOString();
    return this.unit === "day" ? local.slice(0, 10) : `${local.slice(0, 16)}${formatOffset(this.#offsetMs)}`;
  }
}

/** The hours or days of a zone that overlap a range of time, in order. */
export function bucketsBetween(unit: CalendarUnit, fromMs: number, toMs: number, zone: TimeZone): Bucket[] {
  const buckets: Bucket[] = [];
  for (let ms = fromMs; ms < toMs;) {
    const bucket = bucketAt(unit, ms, zone);
    buckets.push(bucket);
    ms = bucket.toMs;
  }
  return buckets;
}

/** The hour or day of a moment. */
export function bucketAt(unit: CalendarUnit, ms: number, zone: TimeZone): Bucket {
  return unit === "hour" ? hourAt(ms, zone) : dayAt(ms, zone);
}

/** The day of a moment, with 23 or 25 hours if daylight saving time starts or ends. */
function dayAt(ms: number, zone: TimeZone): Bucket {
  let dateMs = Math.floor((ms + zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
  // The clock was set back across midnight: the new day continues.
  if (zone.startOfDay(dateMs + DAY_MS) <= ms) dateMs += DAY_MS;
  let toMs = zone.startOfDay(dateMs + DAY_MS);
  // Samoa had no 30th of December in 2011.
  for (let next = dateMs + 2 * DAY_MS; toMs <= ms; next += DAY_MS) toMs = zone.startOfDay(next);
  return new Bucket("day", zone.startOfDay(dateMs), toMs, dateMs, zone.offsetAt(ms));
}

/** The hour of a moment. It ends early if the offset changes within it. */
function hourAt(ms: number, zone: TimeZone): Bucket {
  const offset = zone.offsetAt(ms);
  const localMs = Math.floor((ms + offset) / HOUR_MS) * HOUR_MS;
  const [fromMs, toMs] = [localMs - offset, localMs - offset + HOUR_MS];
  const began = zone.offsetAt(fromMs) === offset ? fromMs : zone.changeAfter(fromMs, ms + 1)!;
  return new Bucket("hour", began, zone.changeAfter(ms, toMs) ?? toMs, localMs, offset);
}
