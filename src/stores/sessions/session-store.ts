import type { Change } from "../../access/change.ts";
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
  /** Ends a session. It is rejected at once and stays rejected in this process even where this throws; durable when this resolves. */
  end(session: Session, change: Change): Promise<void>;
  /** A person's sessions, newest first. Served from memory. */
  listOf(personId: string): readonly Session[];
  /** Writes pending last-used times. Never throws: times that cannot be written are lost. */
  close(): Promise<void>;
}
