import { EXCLUDED, type ReportGroups } from "../../usage/report-groups.ts";
import { ownerOf } from "../../usage/attributed-owner.ts";
import type { AttributionDimension } from "../../../../money/attribution.ts";
import type { KeyAndModel } from "./key-names.ts";
import type { Owner } from "./owners.ts";

const UNKNOWN = -2;
/** Names that are looked up together. */
export const NAMES_IN_BLOCK = 1024;

const NO_KEY: KeyAndModel = { keyId: "", model: "" };

/** Maps the names and keys of an owner to the groups of a report. */
export class CellGroups {
  readonly #groups: ReportGroups;
  readonly #owner: string;
  readonly #keys: ReadonlyMap<number, KeyAndModel> | undefined;
  /** By number. A report about some names has these alone, and the others are excluded from it. */
  readonly names = new Map<number, string>();
  /** By key and block of names. */
  readonly #blocks = new Map<number, Int32Array>();

  /** Without `keys`, the groups are the same whatever the key. */
  constructor(groups: ReportGroups, { accountId, dimension }: Owner, keys: ReadonlyMap<number, KeyAndModel> | undefined) {
    this.#groups = groups;
    this.#owner = ownerOf(dimension as AttributionDimension, accountId);
    this.#keys = keys;
  }

  of(name: number, key: number): number {
    const block = this.#blockOf(name, this.#keys ? key : 0);
    const at = name % NAMES_IN_BLOCK;
    if (block[at] === UNKNOWN) block[at] = this.#find(name, key);
    return block[at]!;
  }

  #find(number: number, key: number): number {
    const name = this.names.get(number);
    if (name === undefined) return EXCLUDED;
    const { keyId, model } = this.#keys ? this.#keys.get(key)! : NO_KEY;
    return this.#groups.ofOwned({ owner: this.#owner, keyId, model, name });
  }

  #blockOf(name: number, key: number): Int32Array {
    const id = key * 2 ** 22 + Math.floor(name / NAMES_IN_BLOCK);
    let block = this.#blocks.get(id);
    if (!block) this.#blocks.set(id, (block = new Int32Array(NAMES_IN_BLOCK).fill(UNKNOWN)));
    return block;
  }
}
