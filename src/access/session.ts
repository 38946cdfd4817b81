import { randomBase62 } from "../lib/text/base62.ts";
import type { Person } from "./person.ts";
import { hashToken, makeToken } from "../lib/secret/random-token.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** Somebody who is signed in with a browser. The cookie is a secret, of which a hash is kept. */
export interface Session {
  /** Public: for lists, and to end it. */
  readonly id: string;
  readonly hash: string;
  readonly personId: string;
  /** The person's round in which it began. It ends with it. */
  readonly round: number;
  readonly createdAtMs: number;
  /** To the minute. */
  readonly lastSeenAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

const HOUR_MS = 60 * 60 * 1000;

/** It ends when it is not used for so long: a browser that was left open overnight is not enough. */
export const IDLE_MS = 12 * HOUR_MS;

/** And after so long however busy it is: what was stolen unnoticed is worth something for a week at most. */
export const LIFETIME_MS = 7 * 24 * HOUR_MS;

export function beginSession(
  person: Person,
  { address, userAgent }: Pick<Session, "address" | "userAgent">,
  nowMs: number,
): { cookie: Secret; session: Session } {
  const cookie = makeToken();
  const session = {
    id: `session_${randomBase62(12)}`,
    hash: hashToken(cookie.reveal()),
    personId: person.id,
    round: person.sessionRound,
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    address,
    userAgent,
  };
  return { cookie, session };
}

/** When it will end, if it is not used again. */
export function endOf({ createdAtMs, lastSeenAtMs }: Pick<Session, "createdAtMs" | "lastSeenAtMs">): number {
  return Math.min(lastSeenAtMs + IDLE_MS, createdAtMs + LIFETIME_MS);
}

/** Whether the person is still signed in with it. */
export function isSignedIn(session: Session, person: Person, nowMs: number): boolean {
  return person.disabledAtMs === null && session.round === person.sessionRound && nowMs < endOf(session);
}
