import { randomBase62 } from "../lib/text/base62.ts";
import type { OneTimeLink } from "./one-time-link.ts";

/** Operators have full access; members manage their own account. */
export const ROLES = ["operator", "member"] as const;

export type Role = (typeof ROLES)[number];

/** A user who signs in to the platform. */
export interface Person {
  readonly id: string;
  /** In lower case, and unique. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The account of a member. Operators have none. */
  readonly accountId: string | null;
  /** Argon2id, with its salt and cost. Null until a password is set, and for people who sign in with SSO only. */
  readonly passwordHash: string | null;
  /** The identity at the OpenID provider, after the first SSO sign-in. */
  readonly identity: Identity | null;
  /** The pending one-time link, until it is used or replaced. */
  readonly invitation: OneTimeLink | null;
  /** The session generation. Incremented to end all sessions at once. */
  readonly sessionGeneration: number;
  /** The same for access tokens. */
  readonly tokenGeneration: number;
  readonly createdAtMs: number;
  /** When the person was disabled. */
  readonly disabledAtMs: number | null;
  /** When the person was archived: disabled, and hidden from lists. */
  readonly archivedAtMs: number | null;
}

/** An identity at an OpenID provider: issuer and subject together are unique and never reassigned. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** A new person, who cannot sign in before a password or an identity is set. */
export function makePerson(wanted: Pick<Person, "email" | "name" | "role" | "accountId" | "invitation">, nowMs: number): Person {
  return {
    id: `person_${randomBase62(12)}`,
    ...wanted,
    passwordHash: null,
    identity: null,
    sessionGeneration: 0,
    tokenGeneration: 0,
    createdAtMs: nowMs,
    disabledAtMs: null,
    archivedAtMs: null,
  };
}

/**
 * Email addresses are case-insensitive. Only A to Z are folded: Unicode case folding maps the Kelvin sign to a plain k, so that
 * another person's address could match Kate's.
 */
export function normalizeEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The person with all sessions ended. */
export function withoutSessions(person: Person): Person {
  return { ...person, sessionGeneration: person.sessionGeneration + 1 };
}

/** The person with all access tokens revoked. */
export function withoutAccessTokens(person: Person): Person {
  return { ...person, tokenGeneration: person.tokenGeneration + 1 };
}

/** The disabled person: earlier sessions, tokens and links stay invalid, even if the person is enabled again. */
export function disabled(person: Person, nowMs: number): Person {
  return { ...withoutAccessTokens(withoutSessions(person)), invitation: null, disabledAtMs: nowMs };
}
