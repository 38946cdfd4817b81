import type { Database as SqliteFile } from "bun:sqlite";

/**
 * The limit of names of each day of UTC, which is the setting at its first usage. It is in the database before any sum of the day: after a crash some
 * rollups have sums that others lack, and only with the same limit are entries that are read again added to the same series.
 */
export class DayLimits {
  readonly #file: SqliteFile;
  /** The setting. */
  readonly #namesPerDay: number;
  readonly #byDay = new Map<number, number>();

  constructor(file: SqliteFile, namesPerDay: number) {
    this.#file = file;
    this.#namesPerDay = namesPerDay;
  }

  of(day: number): number {
    const known = this.#byDay.get(day);
    if (known !== undefined) return known;
    const limit = this.#read(day) ?? this.#store(day);
    this.#byDay.set(day, limit);
    return limit;
  }

  #read(day: number): number | undefined {
    return this.#file.query<{ names: number }, [number]>("select names from attribution_days where day = ?").get(day)?.names;
  }

  #store(day: number): number {
    this.#file.query("insert into attribution_days (day, names) values (?, ?)").run(day, this.#namesPerDay);
    return this.#namesPerDay;
  }
}
