import { ERASED, OTHER_NAMES } from "../../../../money/attribution.ts";

/** The maximum number of names in memory. Beyond it, all names are forgotten, and read again when they are needed. */
const MAX_NAMES = 500_000;

/**
 * The names that an owner has in the rollups of a day. Their number is limited: a client that sends a new end user with every request must
 * not fill the disk. Names beyond the limit are summed as `other`. The first names are admitted, so that entries that are read again get
 * the same names.
 */
export class DayNames {
  readonly #read: (owner: string, day: number) => Iterable<string>;
  readonly #limitOf: (day: number) => number;
  #byDay = new Map<string, Set<string>>();
  #count = 0;

  /** `read` returns the names in the rollups of a day, and `limitOf` the limit of a day. */
  constructor(read: (owner: string, day: number) => Iterable<string>, limitOf: (day: number) => number) {
    this.#read = read;
    this.#limitOf = limitOf;
  }

  /** The name under which new usage is summed. */
  admit(owner: string, day: number, name: string): string {
    const names = this.#namesOf(owner, day);
    if (names.has(name)) return name;
    if (names.size >= this.#limitOf(day) && name !== ERASED) return OTHER_NAMES;
    names.add(name);
    this.#count++;
    return name;
  }

  /** The name under which earlier usage was summed. */
  find(owner: string, day: number, name: string): string {
    return this.#namesOf(owner, day).has(name) ? name : OTHER_NAMES;
  }

  /** Limits the memory. Call this only while the rollups have all names that were admitted. */
  forgetMany(): void {
    if (this.#count > MAX_NAMES) this.forget();
  }

  forget(): void {
    this.#byDay = new Map();
    this.#count = 0;
  }

  #namesOf(owner: string, day: number): Set<string> {
    const key = `${day}/${owner}`;
    let names = this.#byDay.get(key);
    if (!names) {
      names = new Set(this.#read(owner, day));
      names.delete(OTHER_NAMES);
      this.#byDay.set(key, names);
      this.#count += names.size;
    }
    return names;
  }
}
