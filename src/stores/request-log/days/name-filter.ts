import { ERASED, NO_NAME, tagDimension, type Attribution, type AttributionDimension } from "../../../money/attribution.ts";
import type { AttributedFilter } from "../request-log-store.ts";

/** 8 KiB. With 8,192 names, as where each request of a chunk has its own end user and conversation, 3 % of other names seem to be in it. */
const BITS = 65_536;
const PROBES = 3;

/**
 * A Bloom filter: the end users, conversations and tags of a chunk, so that a search skips chunks without a name. They are far too many for
 * `found`, in which each name of a chunk is a row.
 */
export class NameFilter {
  #bits: Uint8Array | undefined;

  add({ user, conversation, tags }: Attribution): void {
    if (user !== undefined) this.#addName("user", user);
    if (conversation !== undefined) this.#addName("conversation", conversation);
    for (const tag in tags) this.#addName(tagDimension(tag), tags[tag]!);
  }

  /** Empty where there are no names. */
  get bytes(): Uint8Array {
    return this.#bits ?? new Uint8Array();
  }

  #addName(dimension: AttributionDimension, name: string): void {
    const bits = (this.#bits ??= new Uint8Array(BITS / 8));
    const hash = hashOf(dimension, name);
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitAt(hash, probe);
      bits[bit >> 3]! |= 1 << (bit & 7);
    }
  }
}

/** Whether a chunk may have a match. Requests without a name, and erased ones, are not in a filter. */
export function mayHave(bytes: Uint8Array, { dimension, names }: AttributedFilter): boolean {
  return names.some((name) => name === NO_NAME || name === ERASED || isAmong(bytes, hashOf(dimension, name)));
}

function isAmong(bytes: Uint8Array, hash: number): boolean {
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = bitAt(hash, probe);
    if (!((bytes[bit >> 3] ?? 0) & (1 << (bit & 7)))) return false;
  }
  return true;
}

/** Stored filters depend on the hash and its bits: neither ever changes. */
function hashOf(dimension: AttributionDimension, name: string): number {
  return Bun.hash.xxHash32(`${dimension}=${name}`);
}

function bitAt(hash: number, probe: number): number {
  return (hash + probe * ((hash >>> 16) | 1)) % BITS;
}
