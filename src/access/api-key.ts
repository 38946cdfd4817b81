import { checkedSecrets, hashKeyed, isSameHash } from "../lib/secret/checked-secret.ts";
import type { Caps, Limits } from "../money/limits.ts";
import type { Secret } from "../lib/secret/secret.ts";

const KEYS = checkedSecrets("sk-service-");

/** What is known of a key. The key itself is not kept, only a keyed hash of it. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** The account that pays for it. */
  readonly accountId: string;
  readonly hash: Uint8Array;
  /** The text that the last rotation replaced, and until when it works. Null for a key that was never rotated. */
  readonly previous: { readonly hash: Uint8Array; readonly worksUntilMs: number } | null;
  /** The models it may call: ids, prefixes such as `gpt-*`, or `*`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export function makeApiKey(ofId?: string): { id: string; key: Secret } {
  const { id, secret } = KEYS.make(ofId);
  return { id, key: secret };
}

/** Makes a key, and the record of it to keep. */
export function issueKey(
  wanted: Pick<KeyRecord, "name" | "accountId" | "models" | "limits" | "caps" | "expiresAtMs">,
  hashSecret: Secret,
  nowMs: number,
): { key: Secret; record: KeyRecord } {
  const { id, key } = makeApiKey();
  const hash = hashApiKey(key.reveal(), hashSecret);
  return { key, record: { id, ...wanted, hash, previous: null, createdAtMs: nowMs, revokedAtMs: null } };
}

/** Rotates the secret of a key, under the same id. The replaced secret stays valid for a grace period; one from before that ends now. */
export function rotateKey(record: KeyRecord, overlapMs: number, hashSecret: Secret, nowMs: number): { key: Secret; record: KeyRecord } {
  const { key } = makeApiKey(record.id);
  const previous = { hash: record.hash, worksUntilMs: nowMs + overlapMs };
  return { key, record: { ...record, hash: hashApiKey(key.reveal(), hashSecret), previous } };
}

/** The public id in a plaintext key, or undefined where it cannot be a key of ours. */
export function idOfApiKey(text: string): string | undefined {
  return KEYS.idOf(text);
}

/** A text in which every key is cut to its public part: callers put theirs into paths and the names of fields. */
export function hideKeys(text: string): string {
  return KEYS.hideIn(text);
}

/** What is stored of a key. */
export function hashApiKey(key: string, hashSecret: Secret): Uint8Array {
  return hashKeyed(key, hashSecret);
}

/** Which of a key's texts this is the hash of, whether or not it still works. */
export function whichText(record: KeyRecord, hash: Uint8Array): "current" | "previous" | undefined {
  if (isSameHash(hash, record.hash)) return "current";
  return record.previous && isSameHash(hash, record.previous.hash) ? "previous" : undefined;
}

/** Whether the secret with this hash is valid now. */
export function opens(record: KeyRecord, hash: Uint8Array, nowMs: number): boolean {
  if (!isActive(record, nowMs)) return false;
  const text = whichText(record, hash);
  return text === "current" || (text === "previous" && previousWorksUntil(record, nowMs) !== null);
}

/** Until when the text before the last rotation works, if it still does. */
export function previousWorksUntil(record: KeyRecord, nowMs: number): number | null {
  const untilMs = record.previous?.worksUntilMs ?? 0;
  return nowMs < untilMs && isActive(record, nowMs) ? untilMs : null;
}

export function isActive(record: KeyRecord, nowMs: number): boolean {
  return record.revokedAtMs === null && (record.expiresAtMs === null || nowMs < record.expiresAtMs);
}
