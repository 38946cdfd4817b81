import type { Change } from "../../access/change.ts";
import type { Session } from "../../access/session.ts";

/** Keeps who is signed in with a browser, also beyond a restart. Those that end leave nothing; the audit log has them. */
export interface SessionStore {
  /** By the hash of its cookie. It may be over, which `isSignedIn` knows. On the path of requests: it answers from memory. */
  find(hash: string): Session | undefined;
  /** Adds a session, which takes the place of `insteadOf`. A person has fifty at most: the oldest make room. */
  add(session: Session, change: Change, insteadOf?: Session): Promise<void>;
  /** It was used. Takes notice once a minute, and writes that later, together with others. */
  touch(session: Session, nowMs: number): void;
  /** Ends a session, at once, even where writing it then fails. */
  end(session: Session, change: Change): Promise<void>;
  /** A person's sessions, newest first. */
  listOf(personId: string): readonly Session[];
  /** Writes what is still to be written. */
  close(): Promise<void>;
}
