import type { Change, Make, Recorded } from "../../access/change.ts";
import type { Session } from "../../access/session.ts";

/** Browser sessions, which survive a restart. An ended session is deleted; the audit log records it. Writes throw `StorageUnavailable`. */
export interface SessionStore {
  /** The session with this cookie hash, expired or not: `isSignedIn` decides. Served from memory, because every platform request needs it. */
  find(hash: string): Session | undefined;
  /**
   * Adds a session, and ends `insteadOf`. A person has at most fifty: the oldest are ended. Durable, with its change in the audit log, and
   * usable when this resolves.
   */
  add(session: Session, change: Change, insteadOf?: Session): Promise<void>;
  /** Records that a session was used, at most once a minute for each. Written in the background; a crash loses up to a second of it. */
  touch(session: Session, nowMs: number): void;
  /**
   * Ends the session with this cookie hash, where `make` returns its change for the audit log. When this settles, it is rejected in this
   * process, and stays so even where this throws because its end could not be written; durable when this resolves. `make` may be called more
   * than once, and returns no change for an unknown hash: the session may have ended meanwhile.
   */
  end<Made extends Recorded | undefined>(hash: string, make: Make<Session, Made>): Promise<Made>;
  /** A person's sessions, newest first. Served from memory. */
  listOf(personId: string): readonly Session[];
  /** Writes pending last-used times. Never throws: times that cannot be written are lost. */
  close(): Promise<void>;
}
