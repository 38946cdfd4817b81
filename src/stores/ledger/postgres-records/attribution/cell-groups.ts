import { EXCLUDED, type ReportGroups } from "../../usage/report-groups.ts";
import { ownerOf } from "../../usage/attributed-owner.ts";
import type { AttributionDimension } from "../../../../money/attribution.ts";
import type { Granularity } from "../../usage/granularity.ts";
import type { KeyAndModel } from "./key-names.ts";
import type { Owner } from "./owners.ts";
import { NAMES_IN_ROW } from "./packed-rows.ts";

const UNKNOWN = -2;
/** The number of names that are looked up together. All names of a row are in one block. */
export const NAMES_IN_BLOCK = 1024;

const NO_KEY: KeyAndModel = { keyId: "", model: "" };

/** Maps the names and keys of an owner to the groups of a report. */
export class CellGroups {
  readonly #groups: ReportGroups;
  readonly #owner: string;
  readonly #keys: ReadonlyMap<number, KeyAndModel> | undefined;
  /** For a report that is limited to some names: these names, by number. All other names are excluded. */
  readonly wanted: ReadonlyMap<number, string> | undefined;
  /** For other reports: the names, by block. */
  readonly names = new Map<number, readonly string[]>();
  /** Groups, by key and block of names. */
  readonly #blocks = new Map<number, Int32Array>();

  /** Without `keys`, groups do not depend on the key. */
  constructor(
    groups: ReportGroups,
    { accountId, dimension }: Owner,
    keys: ReadonlyMap<number, KeyAndModel> | undefined,
    wanted: ReadonlyMap<number, string> | undefined,
  ) {
    this.#groups = groups;
    this.wanted = wanted;
    this.#owner = ownerOf(dimension as AttributionDimension, accountId);
    this.#keys = keys;
  }

  /** A function that returns the group of each cell of a row. */
  inRow(granularity: Granularity, part: number): (cell: number) => number {
    const size = NAMES_IN_ROW[granularity];
    const firstName = part * size;
    const [number, start] = [Math.floor(firstName / NAMES_IN_BLOCK), firstName % NAMES_IN_BLOCK];
    const only = this.#keys ? undefined : this.#blockOf(number, 0);
    return (cell) => {
      const name = cell % size;
      const key = only ? 0 : Math.floor(cell / size);
      const block = only ?? this.#blockOf(number, key);
      const known = block[start + name]!;
      return known === UNKNOWN ? (block[start + name] = this.#find(firstName + name, key)) : known;
    };
  }

  #find(number: number, key: number): number {
    const name = this.wanted ? this.wanted.get(number) : this.names.get(Math.floor(number / NAMES_IN_BLOCK))![number % NAMES_IN_BLOCK];
    if (name === undefined) return EXCLUDED;
    const { keyId, model } = this.#keys ? this.#keys.get(key)! : NO_KEY;
    return this.#groups.ofOwned({ owner: this.#owner, keyId, model, name });
  }

  #blockOf(number: number, key: number): Int32Array {
    const id = key * 2 ** 22 + number;
    let block = this.#blocks.get(id);
    if (!block) this.#blocks.set(id, (block = new Int32Array(NAMES_IN_BLOCK).fill(UNKNOWN)));
    return block;
  }
}
