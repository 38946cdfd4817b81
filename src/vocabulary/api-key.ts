import { checkedSecrets, hashKeyed } from "./checked-secret.ts";
import type { Caps, Limits } from "./limits.ts";
import type { Secret } from "./secret.ts";

const KEYS = checkedSecrets("sk-service-");

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
  const { id, secret } = KEYS.make();
  return { id, key: secret };
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
  return KEYS.idOf(text);
}

/** What is stored of a key. */
export function hashApiKey(key: string, hashSecret: Secret): Uint8Array {
  return hashKeyed(key, hashSecret);
}

export function isActive(record: KeyRecord, nowMs: number): boolean {
  return record.revokedAtMs === null && (record.expiresAtMs === null || nowMs < record.expiresAtMs);
}
