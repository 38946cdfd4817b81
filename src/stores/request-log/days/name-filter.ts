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
    if (user !== undefined) this.#addHash(hashOf("user", user));
    if (conversation !== undefined) this.#addHash(hashOf("conversation", conversation));
    for (const tag in tags) this.#addHash(hashOf(tagDimension(tag), tags[tag]!));
  }

  /** Empty where there are no names. */
  get bytes(): Uint8Array {
    return this.#bits ?? new Uint8Array();
  }

  /** With all bits, also where there are no names. */
  get allBytes(): Uint8Array {
    return this.#bits ?? new Uint8Array(BITS / 8);
  }

  #addHash(hash: number): void {
    const bits = (this.#bits ??= new Uint8Array(BITS / 8));
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitAt(hash, probe);
      bits[bit >> 3]! |= 1 << (bit & 7);
    }
  }
}

/** Whether a chunk may have a match. */
export function mayHave(bytes: Uint8Array, filter: AttributedFilter): boolean {
  const names = bitsOfNames(filter);
  return !names || names.some((bits) => bits.every((bit) => ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0));
}

/** For each name, the bits that a chunk with a match has. Undefined for requests without a name, and erased ones: they are in no filter. */
export function bitsOfNames({ dimension, names }: AttributedFilter): number[][] | undefined {
  if (names.includes(NO_NAME) || names.includes(ERASED)) return undefined;
  return names.map((name) => Array.from({ length: PROBES }, (_, probe) => bitAt(hashOf(dimension, name), probe)));
}

/**
 * FNV-1a, with the last step of MurmurHash3, so that all bits depend on all characters. For a text this short it takes a tenth of the time of a
 * call of `Bun.hash`, and every request has some. Stored filters depend on the hash and its bits: neither ever changes.
 */
function hashOf(dimension: AttributionDimension, name: string): number {
  let hash = addTo(addTo(2_166_136_261, dimension), "=");
  hash = addTo(hash, name);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function addTo(hash: number, text: string): number {
  let sum = hash;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619);
  return sum;
}

function bitAt(hash: number, probe: number): number {
  return (hash + probe * ((hash >>> 16) | 1)) % BITS;
}
