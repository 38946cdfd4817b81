import type { Account } from "./account.ts";
import { hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { ERASED, NO_NAME, OTHER_NAMES } from "../money/attribution.ts";
import { MAX_TAG_VALUE } from "../money/tag-names.ts";

/** A longer ID is stored as its beginning and a digest of the whole ID, so that it still names one end user. */
const MAX_LENGTH = 128;
const RESERVED: ReadonlySet<string> = new Set([NO_NAME, OTHER_NAMES, ERASED]);
/** Most names. They need no change. */
const PRINTABLE = /^[\x20-\x7e]*$/;
/** PostgreSQL cannot store NUL, and the other control characters would be invisible in reports. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/g;

/** An end user or a conversation, as the account stores them. */
export function storedIdentity(
  id: string,
  kind: "user" | "conversation",
  { id: accountId, attribution }: Pick<Account, "id" | "attribution">,
  hashSecret: Secret,
): string {
  return attribution.identities === "hashed" ? hashedIdentity(id, kind, accountId, hashSecret) : storedName(id, kind);
}

/**
 * The names under which an account may have stored an end user or a conversation: the plain name and its hash, since the account's setting
 * may have changed. A hash is looked up unchanged, and so are the names that reports use, such as `none`. A client's end user called `none`
 * is `user:none`, even if it is stored as a hash.
 */
export function storedIdentities(id: string, kind: "user" | "conversation", accountId: string, hashSecret: Secret): string[] {
  if (RESERVED.has(id)) return [id];
  const reserved = [...RESERVED].filter((name) => id === storedName(name, kind));
  return [storedName(id, kind), ...[id, ...reserved].map((each) => hashedIdentity(each, kind, accountId, hashSecret))];
}

/** A name as the client spells it, with a prefix if reports use the same name for something else. */
export function storedName(name: string, kind: "user" | "conversation" | "tag"): string {
  const text = clean(name, kind === "tag" ? MAX_TAG_VALUE : MAX_LENGTH);
  return RESERVED.has(text) ? `${kind}:${text}` : text;
}

/** The hash includes the account: the same ID in two accounts means two people. */
export function hashedIdentity(id: string, kind: "user" | "conversation", accountId: string, hashSecret: Secret): string {
  return hashOf(JSON.stringify([kind, accountId, id]), hashSecret);
}

/** Keyed, so that the ledger alone does not confirm a guess: the ids of people are easily guessed. */
function hashOf(text: string, hashSecret: Secret): string {
  return Buffer.from(hashKeyed(text, hashSecret).subarray(0, 18)).toString("base64url");
}

/** Replaces characters that a store may not be able to hold. A longer text is truncated, with a digest at its end. */
function clean(text: string, maxLength: number): string {
  if (text.length <= maxLength && PRINTABLE.test(text)) return text;
  const whole = text.toWellFormed().replace(CONTROL, "\ufffd");
  if (whole.length <= maxLength) return whole;
  const digest = new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 16);
  return `${whole.slice(0, maxLength - 17).toWellFormed()}…${digest}`;
}
