import { bucketAt, type Bucket } from "../lib/time/calendar.ts";
import { TimeZone } from "../lib/time/time-zone.ts";

/** The days of a time zone: `2027-01-31`, and when each of them starts. */
export class ZoneDays {
  readonly #zone: TimeZone;
  /** The last result, because the next record of a bill is usually from the same day. */
  #last: Bucket | undefined;

  private constructor(zone: TimeZone) {
    this.#zone = zone;
  }

  /** The days of this time zone, or undefined if it does not exist. */
  static find(name: string): ZoneDays | undefined {
    const zone = TimeZone.find(name);
    return zone && new ZoneDays(zone);
  }

  get zone(): string {
    return this.#zone.name;
  }

  dayOf(ms: number): string {
    if (!this.#last || ms < this.#last.fromMs || ms >= this.#last.toMs) this.#last = bucketAt("day", ms, this.#zone);
    return this.#last.name;
  }

  /** The first moment of a day. It need not be midnight: in some places clocks are put forward at midnight. */
  startOf(day: string): number {
    return this.#zone.startOfDay(Date.parse(day));
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The days from one to another, inclusive. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
