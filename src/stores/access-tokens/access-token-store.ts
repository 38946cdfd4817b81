import type { AccessToken } from "../../access/access-token.ts";
import type { Change, MakeChange, Update } from "../../access/change.ts";

/**
 * Access tokens of people and services. No token is ever deleted, so that the audit log can always name the token that made a change.
 * Writes throw `StorageUnavailable` while the database cannot be written.
 */
export interface AccessTokenStore {
  /** The token with this public id, in any state. Served from memory, because every platform request needs it. */
  find(id: string): AccessToken | undefined;
  /** Adds a token. It is durable, with its change in the audit log, and usable when this resolves. */
  add(token: AccessToken, change: Change): Promise<void>;
  /**
   * Revokes a token for good, at the time in the record that `make` returns. Nothing else in the record changes. When this settles, the
   * token is rejected in this process. It stays rejected even if this throws because the revocation could not be written. The revocation is
   * durable when this resolves. `make` may be called more than once, and makes no record for an unknown id.
   */
  revoke<Made extends Update<AccessToken> | undefined>(id: string, make: MakeChange<AccessToken, Made>): Promise<Made>;
  /**
   * Records that a token was used, at most once a minute for each token. Written in the background; a crash loses up to one second of these
   * times.
   */
  touch(token: AccessToken, nowMs: number): void;
  /** A person's tokens, newest first. Served from memory. */
  listOf(personId: string): readonly AccessToken[];
  /** The tokens of service identities, newest first. Served from memory. */
  listOfServices(): readonly AccessToken[];
  /** Writes pending last-used times. Never throws: times that cannot be written are lost. */
  close(): Promise<void>;
}
