import type { KeyRecord } from "../../access/api-key.ts";
import type { Change } from "../../access/change.ts";

/** What to look for among keys. */
export interface KeyFilter {
  /** Those of an account. Where there are several, of all of them at once: two that differ find nothing. */
  readonly accountIds: readonly string[];
  /** Part of a name, or the beginning of an id. */
  readonly search?: string | undefined;
  readonly state?: "active" | "expired" | "revoked" | undefined;
  /** The moment of which the state is asked. */
  readonly nowMs: number;
}

/** The place of a key in the order of pages. */
export type KeyPosition = Pick<KeyRecord, "createdAtMs" | "id">;

/** Keeps what is known of callers' keys. */
export interface KeyStore {
  /** The record of a key by its public id, whatever its state. On the path of every request: it answers from memory. */
  find(id: string): KeyRecord | undefined;
  /** Adds a key. It is durable, and callers can use it, when this resolves. */
  add(record: KeyRecord, change: Change): Promise<void>;
  /**
   * Changes a key that is not revoked by it. In force at once, durable when this resolves. The record is to be made from what
   * `find` gives in the same turn, so that nothing that happens meanwhile is undone.
   */
  update(record: KeyRecord, change: Change): Promise<void>;
  /** Revokes a key for good, or its text before: the record has the moment. In force at once, even where writing it then fails. */
  revoke(record: KeyRecord, change: Change): Promise<void>;
  /** Whether a revocation of this key is in force that could not be written: it would be forgotten by a restart. */
  isUnwritten(id: string): boolean;
  /** Keys that match, newest first, from after a place on. */
  page(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<readonly KeyRecord[]>;
  /** The id of every key there is. */
  ids(): string[];
}
