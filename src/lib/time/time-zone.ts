const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No zone's clock is further from UTC than this, either way. */
const FURTHEST_MS = 18 * 60 * MINUTE_MS;
/** Offsets that a zone remembers: some years' worth. */
const MAX_KEPT = 4000;

/** A zone's clock, by the data that the runtime brings. */
export class TimeZone {
  /** As the data spells it: `Europe/Berlin`. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** By the day of UTC, at its beginning. */
  readonly #offsets = new Map<number, number>();

  private constructor(format: Intl.DateTimeFormat) {
    this.name = format.resolvedOptions().timeZone;
    this.#format = format;
  }

  static #known = new Map<string, TimeZone>();

  /** The zone of this name (IANA's, such as `Europe/Berlin`), or undefined where there is none. */
  static find(name: string): TimeZone | undefined {
    // Offsets such as +01:00 are no zones: who means one would have no summer time.
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

  /** By how much the zone's clock is ahead of UTC at a moment. */
  offsetAt(ms: number): number {
    const day = Math.floor(ms / DAY_MS);
    const offset = this.#offsetAtDay(day);
    // A clock that shows the same at both ends of a day was not changed within it.
    return offset === this.#offsetAtDay(day + 1) ? offset : this.#look(ms);
  }

  /** The next moment at which the offset is another one, or undefined where that is not before `beforeMs`. */
  changeAfter(ms: number, beforeMs: number): number | undefined {
    const offset = this.offsetAt(ms);
    for (let day = Math.floor(ms / DAY_MS) + 1; (day - 1) * DAY_MS < beforeMs; day++) {
      if (this.#offsetAtDay(day) === offset) continue;
      const change = this.#findChange(Math.max(ms, (day - 1) * DAY_MS), day * DAY_MS, offset);
      return change < beforeMs ? change : undefined;
    }
    return undefined;
  }

  /** The first moment of a day, which is given as midnight of the same date in UTC. It is not always midnight. */
  startOfDay(dateMs: number): number {
    const offsets = [this.offsetAt(dateMs - FURTHEST_MS), this.offsetAt(dateMs + FURTHEST_MS)];
    const midnights = offsets.map((offset) => dateMs - offset).filter((ms, at) => this.offsetAt(ms) === offsets[at]);
    // Where the clock was put forward over midnight, the day begins with that.
    return midnights.length > 0 ? Math.min(...midnights) : this.changeAfter(dateMs - FURTHEST_MS, dateMs + FURTHEST_MS)!;
  }

  #findChange(fromMs: number, toMs: number, offset: number): number {
    let [low, high] = [Math.floor(fromMs / MINUTE_MS), toMs / MINUTE_MS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#look(middle * MINUTE_MS) === offset) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }

  #offsetAtDay(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset !== undefined) return offset;
    if (this.#offsets.size >= MAX_KEPT) this.#offsets.clear();
    offset = this.#look(day * DAY_MS);
    this.#offsets.set(day, offset);
    return offset;
  }

  #look(ms: number): number {
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
