import { randomBase62 } from "../lib/text/base62.ts";
import type { OneTimeLink } from "./one-time-link.ts";

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
  readonly identity: Identity | null;
  /** The link with which they choose a password, until it is used or another takes its place. */
  readonly invitation: OneTimeLink | null;
  /** Counts up when all of their sessions end at once. A session belongs to the round in which it began. */
  readonly sessionRound: number;
  /** The same, of their access tokens. */
  readonly tokenRound: number;
  readonly createdAtMs: number;
  /** Since when they may not come in. */
  readonly disabledAtMs: number | null;
}

/** A person as an OpenID provider knows them: the two together never name anybody else. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Somebody new, who cannot come in yet: that takes a password or an identity. */
export function makePerson(wanted: Pick<Person, "email" | "name" | "role" | "accountId" | "invitation">, nowMs: number): Person {
  return {
    id: `person_${randomBase62(12)}`,
    ...wanted,
    passwordHash: null,
    identity: null,
    sessionRound: 0,
    tokenRound: 0,
    createdAtMs: nowMs,
    disabledAtMs: null,
  };
}

/**
 * Two spellings of an address that differ in case are one. Only for A to Z: in all of Unicode, the lower case of the Kelvin sign
 * is a plain k, and an address that somebody else owns would become Kate's.
 */
export function normalizeEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The person with every session ended. */
export function withoutSessions(person: Person): Person {
  return { ...person, sessionRound: person.sessionRound + 1 };
}

/** The person with every access token ended. */
export function withoutAccessTokens(person: Person): Person {
  return { ...person, tokenRound: person.tokenRound + 1 };
}

/** The disabled person: earlier sessions, tokens and links stay invalid, even if the person is enabled again. */
export function disabled(person: Person, nowMs: number): Person {
  return { ...withoutAccessTokens(withoutSessions(person)), invitation: null, disabledAtMs: nowMs };
}
