import { setting, type ValuesOf, type WithUnknownFields } from "../lib/schema/settings.ts";
import { modelsSchema, shownModelsSchema } from "../models/models-schema.ts";
import { capsSetting, limitsSetting } from "../money/declared-limits.ts";
import { checkedSecrets, hashKeyed, isSameHash } from "../lib/secret/checked-secret.ts";
import type { Secret } from "../lib/secret/secret.ts";

const PREFIX = "sk-service-";
const KEYS = checkedSecrets(PREFIX);
/** A key of another gateway or a provider. Parts of words, such as `task-…`, do not match. */
const OTHER_KEY = /\b(sk-)(?!service-)[\w-]{16,}/g;

/** The settings of a key. Models that it may call are required when it is created. */
export const keySettings = {
  models: setting({
    wire: { models: modelsSchema },
    view: { models: shownModelsSchema },
    initial: [] as readonly string[],
    change: (value, { models }) => models ?? value,
    show: (models) => ({ models }),
  }),
  limits: limitsSetting,
  caps: capsSetting,
};

/** An API key. Only a keyed hash of the plaintext key is stored. */
export interface KeyRecord extends ValuesOf<typeof keySettings>, WithUnknownFields {
  readonly id: string;
  readonly name: string;
  /** The account that is charged. */
  readonly accountId: string;
  readonly hash: Uint8Array;
  /** The secret replaced by the last rotation, and the end of its grace period. Null for a key that was never rotated. */
  readonly previous: { readonly hash: Uint8Array; readonly worksUntilMs: number } | null;
  /** Where it was imported from, while callers use the key of that gateway. Null once its secret is one of ours. */
  readonly imported: KeyOrigin | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** When it was paused: it is rejected until it is resumed. */
  readonly pausedAtMs: number | null;
  /** When it was archived: it is paused, and hidden from lists. */
  readonly archivedAtMs: number | null;
}

/** The gateway that a key was imported from, and when. */
interface KeyOrigin {
  readonly from: string;
  /** The ID that the import chose for that installation; null if it chose none. */
  readonly source: string | null;
  readonly atMs: number;
}

export function makeApiKey(ofId?: string): { id: string; key: Secret } {
  const { id, secret } = KEYS.make(ofId);
  return { id, key: secret };
}

const IN_USE = { revokedAtMs: null, pausedAtMs: null, archivedAtMs: null };

/** Creates a key and its stored record. */
export function issueKey(
  wanted: Pick<KeyRecord, keyof typeof keySettings | "name" | "accountId" | "expiresAtMs">,
  hashSecret: Secret,
  nowMs: number,
): { key: Secret; record: KeyRecord } {
  const { id, key } = makeApiKey();
  const hash = hashApiKey(key.reveal(), hashSecret);
  return { key, record: { id, ...wanted, hash, previous: null, imported: null, createdAtMs: nowMs, ...IN_USE } };
}

/** A key of another gateway, which has its SHA-256 or its plaintext. */
type ImportedKey = Pick<KeyRecord, "name" | "accountId" | "models" | "limits" | "caps" | "expiresAtMs" | "createdAtMs" | "pausedAtMs">;

/**
 * The record of an imported key. `sha256` is the SHA-256 of the plaintext key, in hexadecimal. It is stored as a keyed hash, like keys
 * issued here.
 */
export function importKey(wanted: ImportedKey, sha256: string, imported: KeyOrigin, hashSecret: Secret): KeyRecord {
  const { id, hash } = locateImported(sha256, hashSecret);
  return { id, ...wanted, hash, previous: null, imported, revokedAtMs: null, archivedAtMs: null };
}

/** Rotates the secret of a key, under the same ID. The replaced secret stays valid for a grace period; an even older one ends now. */
export function rotateKey(record: KeyRecord, overlapMs: number, hashSecret: Secret, nowMs: number): { key: Secret; record: KeyRecord } {
  const { key } = makeApiKey(record.id);
  const previous = { hash: record.hash, worksUntilMs: nowMs + overlapMs };
  return { key, record: { ...record, hash: hashApiKey(key.reveal(), hashSecret), previous, imported: null } };
}

/** Longer texts are not hashed: no gateway issues such keys. */
const MAX_IMPORTED_LENGTH = 256;

/**
 * The ID of the record that a plaintext key would have, and its hash. Undefined if the text cannot be a key. The ID of an imported key is
 * derived from its hash, so that one lookup finds it: a key that does not exist takes as long as one that does.
 */
export function locateKey(text: string, hashSecret: Secret): { readonly id: string; readonly hash: Uint8Array } | undefined {
  if (!text.startsWith(PREFIX)) {
    return text.length > MAX_IMPORTED_LENGTH ? undefined : locateImported(sha256Of(text), hashSecret);
  }
  const id = KEYS.idOf(text);
  return id === undefined ? undefined : { id, hash: hashApiKey(text, hashSecret) };
}

/** Whether a plaintext key has none of the forms that are issued here, for the gateway or the platform: it can be an imported key. */
export function isOfAnotherGateway(text: string): boolean {
  return !text.startsWith(PREFIX) && !text.startsWith("tollgate-");
}

/** The id that an imported key has here. */
export function idOfImported(sha256: string, hashSecret: Secret): string {
  return locateImported(sha256, hashSecret).id;
}

function locateImported(sha256: string, hashSecret: Secret): { readonly id: string; readonly hash: Uint8Array } {
  const hash = hashKeyed(sha256, hashSecret);
  return { id: KEYS.idFrom(hash), hash };
}

/** The SHA-256 of a plaintext key, in hexadecimal. */
export function sha256Of(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** The public ID in a plaintext key, or undefined if the text cannot be a Tollgate key. */
export function idOfApiKey(text: string): string | undefined {
  return KEYS.idOf(text);
}

/**
 * Redacts every key in a text to its public part. This includes keys of other gateways, which may be imported. Callers put keys into paths
 * and field names, which are logged.
 */
export function redactKeys(text: string): string {
  return text.includes("sk-") ? KEYS.redactIn(text).replaceAll(OTHER_KEY, "$1…") : text;
}

/** The stored hash of a plaintext key. */
export function hashApiKey(key: string, hashSecret: Secret): Uint8Array {
  return hashKeyed(key, hashSecret);
}

/** Which secret of the key has this hash, the current or the old one, whether or not it is still valid. */
export function whichText(record: KeyRecord, hash: Uint8Array): "current" | "previous" | undefined {
  if (isSameHash(hash, record.hash)) return "current";
  return record.previous && isSameHash(hash, record.previous.hash) ? "previous" : undefined;
}

/** Whether the secret with this hash is valid now, or would be if the key were not paused. */
export function isValidSecret(record: KeyRecord, hash: Uint8Array, nowMs: number): boolean {
  if (hasEnded(record, nowMs)) return false;
  const text = whichText(record, hash);
  return text === "current" || (text === "previous" && previousWorksUntil(record, nowMs) !== null);
}

/** The end of the old secret's grace period, if it has not ended yet. A pause does not extend it. */
export function previousWorksUntil(record: KeyRecord, nowMs: number): number | null {
  const untilMs = record.previous?.worksUntilMs ?? 0;
  return nowMs < untilMs && !hasEnded(record, nowMs) ? untilMs : null;
}

/** Whether the key is revoked or expired. */
export function hasEnded({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): boolean {
  return revokedAtMs !== null || (expiresAtMs !== null && nowMs >= expiresAtMs);
}

export const KEY_STATES = ["active", "paused", "expired", "revoked"] as const;

/** The state of a key. If several apply, it is the one that stops the key for longest. */
export function stateOfKey(record: KeyRecord, nowMs: number): (typeof KEY_STATES)[number] {
  if (record.revokedAtMs !== null) return "revoked";
  if (hasEnded(record, nowMs)) return "expired";
  return record.pausedAtMs === null ? "active" : "paused";
}

/** Whether requests with the key are accepted. */
export function isActive(record: KeyRecord, nowMs: number): boolean {
  return record.pausedAtMs === null && !hasEnded(record, nowMs);
}
