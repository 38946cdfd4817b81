import type { Caps, Limits } from "./limits.ts";
import { Secret } from "./secret.ts";

/**
 * `sk-service-` + 12 characters of public id + 32 of secret + 6 of checksum, all base62. The checksum refuses junk without a
 * lookup and lets secret scanners tell a leaked key from noise; the id is what logs and the console show.
 */
const PREFIX = "sk-service-";
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** What is known of a key. The key itself is not kept, only a keyed hash of it. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** The account that pays for it. */
  readonly accountId: string;
  readonly hash: Uint8Array;
  /** The models it may call: ids, prefixes such as `gpt-*`, or `*`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export function makeApiKey(): { id: string; key: Secret } {
  const id = randomBase62(ID_LENGTH);
  const unchecked = PREFIX + id + randomBase62(SECRET_LENGTH);
  return { id, key: new Secret(unchecked + checksum(unchecked)) };
}

/** Makes a key, and the record of it to keep. */
export function issueKey(
  wanted: Pick<KeyRecord, "name" | "accountId" | "models" | "limits" | "caps" | "expiresAtMs">,
  hashSecret: Secret,
  nowMs: number,
): { key: Secret; record: KeyRecord } {
  const { id, key } = makeApiKey();
  return { key, record: { id, ...wanted, hash: hashApiKey(key.reveal(), hashSecret), createdAtMs: nowMs, revokedAtMs: null } };
}

/** The public id in a key's text, or undefined where the text cannot be a key of ours. */
export function idOfApiKey(text: string): string | undefined {
  const id = SHAPE.exec(text)?.[1];
  return id !== undefined && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH))) ? id : undefined;
}

/** What is stored of a key. The hash is keyed, so that a stolen table alone cannot even confirm a guess. */
export function hashApiKey(key: string, hashSecret: Secret): Uint8Array {
  return new Bun.CryptoHasher("sha256", hashSecret.reveal()).update(key).digest();
}

export function isActive(record: KeyRecord, nowMs: number): boolean {
  return record.revokedAtMs === null && (record.expiresAtMs === null || nowMs < record.expiresAtMs);
}

export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: dropping the rest keeps every character equally likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
