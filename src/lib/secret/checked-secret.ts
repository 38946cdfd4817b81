import { timingSafeEqual } from "node:crypto";
import { randomBase62, toBase62 } from "../text/base62.ts";
import { Secret } from "./secret.ts";

const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** A kind of secret with a prefix, an ID and a checksum, such as an API key. */
interface CheckedSecrets {
  /** Creates a secret with a new ID, or a new secret for an existing ID. */
  make(id?: string): { id: string; secret: Secret };
  /** The public ID in a secret; undefined if the text is not a secret of this kind. */
  idOf(text: string): string | undefined;
  /** The ID for a secret of another kind, from its keyed hash. */
  idFrom(hash: Uint8Array): string;
  /** Redacts every such secret in a text to its prefix and ID. */
  redactIn(text: string): string;
}

/**
 * A prefix + 12 characters of public ID + 32 of secret + 6 of checksum, all base62. The checksum rejects invalid text without a lookup, and
 * lets secret scanners distinguish a leak from noise. Logs and the console show the ID.
 */
export function checkedSecrets(prefix: string): CheckedSecrets {
  const shape = new RegExp(`^${prefix}([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
  // Any length: a truncated text may have the whole secret and only a part of the checksum.
  const anywhere = new RegExp(`(${prefix}[0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]+`, "g");
  return {
    make(id = randomBase62(ID_LENGTH)) {
      const unchecked = prefix + id + randomBase62(SECRET_LENGTH);
      return { id, secret: new Secret(unchecked + checksum(unchecked)) };
    },
    idOf(text) {
      const id = shape.exec(text)?.[1];
      return id !== undefined && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH))) ? id : undefined;
    },
    // Two bytes of the hash for each character: 71 bits in total, for which the 32 bytes suffice. A plain loop, because every wrong key
    // runs it.
    idFrom(hash) {
      let id = "";
      for (let at = 0; at < ID_LENGTH; at++) id += toBase62(hash[2 * at]! * 256 + hash[2 * at + 1]!, 1);
      return id;
    },
    redactIn: (text) => (text.includes(prefix) ? text.replaceAll(anywhere, "$1…") : text),
  };
}

/** The stored hash of a secret. It is keyed, so that a stolen table alone cannot confirm a guess. */
export function hashKeyed(text: string, hashSecret: Secret): Uint8Array {
  return new Bun.CryptoHasher("sha256", hashSecret.reveal()).update(text).digest();
}

/** Compares hashes in constant time. */
export function isSameHash(hash: Uint8Array, stored: Uint8Array): boolean {
  return hash.length === stored.length && timingSafeEqual(hash, stored);
}

function checksum(text: string): string {
  return toBase62(Bun.hash.crc32(text), CHECKSUM_LENGTH);
}
