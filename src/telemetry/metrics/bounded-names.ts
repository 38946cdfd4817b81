declare const bounded: unique symbol;

/** A label value that is not in the code. Only `BoundedNames` can create it, which bounds the cardinality. */
export type BoundedName = string & { readonly [bounded]: true };

/** The label value for names beyond the limit. */
export const OTHER = "other" as BoundedName;

/** The label value for a missing name. */
export const NONE = "none" as BoundedName;

/**
 * Names of models and upstreams as label values. Every name is a time series until the process ends, and models come and go: beyond a
 * limit, the newest names are aggregated as `other`.
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

  /** A pair of names, which counts as one name. */
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
