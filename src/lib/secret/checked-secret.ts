import { timingSafeEqual } from "node:crypto";
import { randomBase62, toBase62 } from "../text/base62.ts";
import { Secret } from "./secret.ts";

const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** A kind of secret that people copy and paste, known by its prefix. */
export interface CheckedSecrets {
  /** A new one; of an id, another one under the same id. */
  make(id?: string): { id: string; secret: Secret };
  /** The public id in a secret's text, or undefined where the text cannot be one of this kind. */
  idOf(text: string): string | undefined;
  /** A text in which every one of them is cut to its public part. */
  hideIn(text: string): string;
}

/**
 * A prefix + 12 characters of public id + 32 of secret + 6 of checksum, all base62. The checksum refuses junk without a lookup
 * and lets secret scanners tell a leak from noise; the id is what logs and the console show.
 */
export function checkedSecrets(prefix: string): CheckedSecrets {
  const shape = new RegExp(`^${prefix}([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
  // However much of it there is: what is cut short before it is written may hold the whole secret and only half of the checksum.
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
    hideIn: (text) => (text.includes(prefix) ? text.replaceAll(anywhere, "$1…") : text),
  };
}

/** What is stored of a secret. The hash is keyed, so that a stolen table alone cannot even confirm a guess. */
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
