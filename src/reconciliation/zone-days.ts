/** The days of a calendar: `2027-01-31`, and when each of them begins. */
export class ZoneDays {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #known = new Map<number, string>();

  /** Throws a RangeError where there is no such zone. */
  constructor(zone: string) {
    this.zone = zone;
    this.#format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
  }

  dayOf(ms: number): string {
    const quarter = Math.floor(ms / QUARTER_MS);
    let day = this.#known.get(quarter);
    if (day === undefined) {
      day = this.#format.format(quarter * QUARTER_MS);
      if (this.#known.size < MAX_KNOWN) this.#known.set(quarter, day);
    }
    return day;
  }

  /** The first moment of a day. It need not be midnight: clocks are put forward at midnight in some places. */
  startOf(day: string): number {
    const noonish = Date.parse(day) / QUARTER_MS;
    let low = noonish - FARTHEST_QUARTERS;
    let high = noonish + FARTHEST_QUARTERS;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.dayOf(middle * QUARTER_MS) < day) low = middle + 1;
      else high = middle;
    }
    return low * QUARTER_MS;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Every zone of today is away from UTC by so many quarters of an hour. */
const QUARTER_MS = 15 * 60 * 1000;
/** None is farther away than this. */
const FARTHEST_QUARTERS = 15 * 4;
/** Of a year. */
const MAX_KNOWN = 366 * 24 * 4;

/** The days from one to another, both of them included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
