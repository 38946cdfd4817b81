import type { Actor } from "../../../access/access.ts";
import type { Person } from "../../../access/person.ts";
import { isSignedIn, type Session } from "../../../access/session.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** The signed-in person. Only for operations that require a session, where there always is one. */
export function findOneself(actor: Actor, platform: Platform): Person {
  return platform.people.find(actor.personId!)!;
}

/** The actor's sessions, newest first. */
export function listOwnSessions(actor: Actor, platform: Platform): readonly Session[] {
  const person = findOneself(actor, platform);
  return platform.sessions.listOf(person.id).filter((session) => isSignedIn(session, person, platform.nowMs()));
}

/** One of the actor's sessions. Another person's session is reported as not found. */
export function findOwnSession(id: string, actor: Actor, platform: Platform): Session {
  const session = listOwnSessions(actor, platform).find((each) => each.id === id);
  if (session) return session;
  throw unknownId("unknown_session", "session", id);
}
