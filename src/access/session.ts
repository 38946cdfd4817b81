import { randomBase62 } from "../lib/text/base62.ts";
import type { Person } from "./person.ts";
import { hashToken, makeToken } from "../lib/secret/random-token.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** A browser session. Only a hash of its cookie is stored. */
export interface Session {
  /** Public: used in lists and to end the session. */
  readonly id: string;
  readonly hash: string;
  readonly personId: string;
  /** The person's session generation when it started. The session ends when the generation changes. */
  readonly generation: number;
  readonly createdAtMs: number;
  /** Rounded to the minute. */
  readonly lastSeenAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

const HOUR_MS = 60 * 60 * 1000;

/** Idle timeout: a session does not survive a browser that is left open overnight. */
export const IDLE_MS = 12 * HOUR_MS;

/** Absolute timeout, however active the session is: a stolen cookie is useful for a week at most. */
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
    generation: person.sessionGeneration,
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    address,
    userAgent,
  };
  return { cookie, session };
}

/** When the session ends if it is not used again. */
export function endOf({ createdAtMs, lastSeenAtMs }: Pick<Session, "createdAtMs" | "lastSeenAtMs">): number {
  return Math.min(lastSeenAtMs + IDLE_MS, createdAtMs + LIFETIME_MS);
}

/** Whether the session is valid. */
export function isSignedIn(session: Session, person: Person, nowMs: number): boolean {
  return person.disabledAtMs === null && session.generation === person.sessionGeneration && nowMs < endOf(session);
}
