import { ERASED, NO_NAME, tagDimension, type Attribution, type AttributionDimension } from "../../money/attribution.ts";
import type { AttributedFilter } from "./request-log-store.ts";

/**
 * 8 KiB. With 8,192 names, which result if each request of a chunk has its own end user and conversation, the filter reports 3 % of other
 * names falsely as present.
 */
const BITS = 65_536;
const PROBES = 3;

/**
 * A Bloom filter: the end users, conversations, endpoints and tags of a chunk, so that a search skips chunks without a name. There are far too many
 * names for `found`, which has one row for each name of a chunk.
 */
export class NameFilter {
  #bits: Uint8Array | undefined;

  add({ user, conversation, endpoint, tags }: Attribution): void {
    if (user !== undefined) this.#addHash(hashOf("user", user));
    if (conversation !== undefined) this.#addHash(hashOf("conversation", conversation));
    if (endpoint !== undefined) this.#addHash(hashOf("endpoint", endpoint));
    for (const tag in tags) this.#addHash(hashOf(tagDimension(tag), tags[tag]!));
  }

  /** Empty if there are no names. */
  get bytes(): Uint8Array {
    return this.#bits ?? new Uint8Array();
  }

  /** All bits, even if there are no names. */
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

/**
 * For each name, the bits that are set in a chunk with a match. Undefined for a filter by requests without a name or by erased names, which
 * are in no Bloom filter.
 */
export function bitsOfNames({ dimension, names }: AttributedFilter): number[][] | undefined {
  if (names.includes(NO_NAME) || names.includes(ERASED)) return undefined;
  return names.map((name) => Array.from({ length: PROBES }, (_, probe) => bitAt(hashOf(dimension, name), probe)));
}

/**
 * FNV-1a, with the last step of MurmurHash3, so that all bits depend on all characters. For such a short text it takes a tenth of the time
 * of a call of `Bun.hash`, and every request has several names. Stored filters depend on the hash and the bits that it selects, so neither
 * may ever change.
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
