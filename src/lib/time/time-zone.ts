const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No time zone has a larger offset from UTC, in either direction. */
const MAX_OFFSET_MS = 18 * 60 * MINUTE_MS;
/** The most cached offsets of a zone: some years of days. */
const MAX_CACHED = 4000;

/** A time zone, by the runtime's IANA data. */
export class TimeZone {
  /** The canonical name of the zone: `Europe/Berlin`. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** The offset at the start of each UTC day. */
  readonly #offsets = new Map<number, number>();

  private constructor(format: Intl.DateTimeFormat) {
    this.name = format.resolvedOptions().timeZone;
    this.#format = format;
  }

  static #known = new Map<string, TimeZone>();

  /** The zone with this IANA name, such as `Europe/Berlin`; undefined if there is none. */
  static find(name: string): TimeZone | undefined {
    // A fixed offset such as +01:00 is rejected: it would silently ignore daylight saving time.
    if (!/^[a-z][\w+/-]*$/i.test(name)) return undefined;
    try {
      const zone = new TimeZone(new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }));
      const known = TimeZone.#known.get(zone.name);
      if (!known) TimeZone.#known.set(zone.name, zone);
      return known ?? zone;
    } catch {
      return undefined;
    }
  }

  /** The offset from UTC at a moment, positive to the east. */
  offsetAt(ms: number): number {
    const day = Math.floor(ms / DAY_MS);
    const offset = this.#offsetAtDay(day);
    // Equal offsets at both ends of a day mean that it did not change in between.
    return offset === this.#offsetAtDay(day + 1) ? offset : this.#lookUp(ms);
  }

  /** The time of the next change of the offset; undefined if there is none before `beforeMs`. */
  changeAfter(ms: number, beforeMs: number): number | undefined {
    const offset = this.offsetAt(ms);
    for (let day = Math.floor(ms / DAY_MS) + 1; (day - 1) * DAY_MS < beforeMs; day++) {
      if (this.#offsetAtDay(day) === offset) continue;
      const change = this.#findChange(Math.max(ms, (day - 1) * DAY_MS), day * DAY_MS, offset);
      return change < beforeMs ? change : undefined;
    }
    return undefined;
  }

  /** The first moment of a day, given as midnight UTC of the same date. The day does not always start at midnight in the zone. */
  startOfDay(dateMs: number): number {
    const offsets = [this.offsetAt(dateMs - MAX_OFFSET_MS), this.offsetAt(dateMs + MAX_OFFSET_MS)];
    const midnights = offsets.map((offset) => dateMs - offset).filter((ms, at) => this.offsetAt(ms) === offsets[at]);
    // If the clock is set forward across midnight, the day starts at the change.
    return midnights.length > 0 ? Math.min(...midnights) : this.changeAfter(dateMs - MAX_OFFSET_MS, dateMs + MAX_OFFSET_MS)!;
  }

  #findChange(fromMs: number, toMs: number, offset: number): number {
    let [low, high] = [Math.floor(fromMs / MINUTE_MS), toMs / MINUTE_MS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#lookUp(middle * MINUTE_MS) === offset) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }

  #offsetAtDay(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset !== undefined) return offset;
    if (this.#offsets.size >= MAX_CACHED) this.#offsets.clear();
    offset = this.#lookUp(day * DAY_MS);
    this.#offsets.set(day, offset);
    return offset;
  }

  #lookUp(ms: number): number {
    const said = this.#format.format(ms);
    const [, sign, hours, minutes, seconds = "0"] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(said) ?? [];
    if (sign === undefined) return 0;
    return (sign === "-" ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  }
}

/** `+05:45`. */
export function formatOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((count) => String(count).padStart(2, "0"));
  return `${offsetMs < 0 ? "-" : "+"}${hours}:${rest}`;
}
