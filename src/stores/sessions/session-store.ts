import type { Change, MakeChange, AuditedChange } from "../../access/change.ts";
import type { Session } from "../../access/session.ts";

/**
 * Browser sessions, which survive a restart. An ended session is deleted, with an entry in the audit log. Writes throw
 * `StorageUnavailable`.
 */
export interface SessionStore {
  /**
   * The session with this cookie hash, expired or not: `isSignedIn` decides. Served from memory, because every platform request needs it.
   */
  find(hash: string): Session | undefined;
  /**
   * Adds a session, and ends `insteadOf`. A person has at most fifty sessions: the oldest are ended. When this resolves, the session is
   * usable, and durable with its change in the audit log.
   */
  add(session: Session, change: Change, insteadOf?: Session): Promise<void>;
  /**
   * Records that a session was used, at most once a minute for each session. Written in the background; a crash loses up to one second of
   * these times.
   */
  touch(session: Session, nowMs: number): void;
  /**
   * Ends the session with this cookie hash if `make` returns a change for the audit log. When this settles, the session is rejected in this
   * process. It stays rejected even if this throws because its end could not be written. The end is durable when this resolves. `make` may
   * be called more than once, and returns no change for an unknown hash: the session may have ended meanwhile.
   */
  end<Made extends AuditedChange | undefined>(hash: string, make: MakeChange<Session, Made>): Promise<Made>;
  /** A person's sessions, newest first. Served from memory. */
  listOf(personId: string): readonly Session[];
  /** Writes pending last-used times. Never throws: times that cannot be written are lost. */
  close(): Promise<void>;
}
