import { randomBase62 } from "./api-key.ts";

/** Operators do everything; members see to their own account. */
export const ROLES = ["operator", "member"] as const;

export type Role = (typeof ROLES)[number];

/** Somebody who signs in to the platform. */
export interface Person {
  readonly id: string;
  /** In lower case. No two people share one. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The account that a member belongs to. Operators belong to none. */
  readonly accountId: string | null;
  /** Argon2id, with its salt and cost. Null until one is chosen, and for those who sign in elsewhere. */
  readonly passwordHash: string | null;
  /** Who they are at the OpenID provider, once they have signed in there. */
  readonly identity: { readonly issuer: string; readonly subject: string } | null;
  readonly createdAtMs: number;
  /** Since when they may not come in. */
  readonly disabledAtMs: number | null;
}

export function makePersonId(): string {
  return `person_${randomBase62(12)}`;
}

/** Somebody who is signed in with a browser. The cookie is a secret, of which a hash is kept. */
export interface Session {
  /** Public: for lists, and to end it. */
  readonly id: string;
  readonly hash: string;
  readonly personId: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** It ends then, however busy it is. */
  readonly expiresAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A personal access token: a person's right to automate, narrowed to scopes. The token is a secret, of which a hash is kept. */
export interface AccessToken {
  readonly id: string;
  readonly hash: string;
  readonly personId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A link that works once: to choose a first password, or a new one. */
export interface Invitation {
  readonly hash: string;
  /** Null for the first operator, who does not exist yet. */
  readonly personId: string | null;
  readonly expiresAtMs: number;
}
