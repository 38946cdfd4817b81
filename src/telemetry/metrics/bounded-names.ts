declare const bounded: unique symbol;

/** A name that is not in the code, and of which there are only so many: the only way to make one is `BoundedNames`. */
export type BoundedName = string & { readonly [bounded]: true };

/** What stands for every name for which there was no room. */
export const OTHER = "other" as BoundedName;

/** What stands where there is no name. */
export const NONE = "none" as BoundedName;

/**
 * The names that operators have given to models and upstreams, as values of labels. Every one is a line of its own at every scrape
 * until the process ends, and models come and go: beyond a limit the newest are told together, as `other`.
 */
export class BoundedNames {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  of(name: string): BoundedName {
    return this.#hasRoomFor(name) ? (name as BoundedName) : OTHER;
  }

  /** Two names that belong together, counted as one. */
  pair(one: string, other: string): readonly [BoundedName, BoundedName] {
    return this.#hasRoomFor(JSON.stringify([one, other])) ? [one as BoundedName, other as BoundedName] : [OTHER, OTHER];
  }

  #hasRoomFor(name: string): boolean {
    if (this.#names.has(name)) return true;
    if (this.#names.size >= this.#most) return false;
    this.#names.add(name);
    return true;
  }
}
