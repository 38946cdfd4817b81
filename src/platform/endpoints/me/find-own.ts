import type { Actor } from "../../../access/access.ts";
import type { Person } from "../../../access/person.ts";
import { isSignedIn, type Session } from "../../../access/session.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** Who is signed in. Only for calls that take a session: there it is always somebody. */
export function findOneself(actor: Actor, platform: Platform): Person {
  return platform.people.find(actor.personId!)!;
}

/** The sessions with which the actor is signed in, newest first. */
export function listOwnSessions(actor: Actor, platform: Platform): readonly Session[] {
  const person = findOneself(actor, platform);
  return platform.sessions.listOf(person.id).filter((session) => isSignedIn(session, person, platform.nowMs()));
}

/** One of them. Another person's is refused like one that is not there. */
export function findOwnSession(id: string, actor: Actor, platform: Platform): Session {
  const session = listOwnSessions(actor, platform).find((each) => each.id === id);
  if (session) return session;
  throw unknownId("unknown_session", "session", id);
}
