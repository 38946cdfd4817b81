import type { KeyRecord } from "../../vocabulary/api-key.ts";

/** Keeps what is known of callers' keys. */
export interface KeyStore {
  /** The record of a key by its public id, whatever its state. On the path of every request: it answers from memory. */
  find(id: string): KeyRecord | undefined;
  /** Adds a key. It is durable, and callers can use it, when this resolves. */
  add(record: KeyRecord): Promise<void>;
  /**
   * Changes the name, the models, the limits or the caps of a key. In force at once, durable when this resolves. The record is
   * to be made from what `find` gives in the same turn, so that nothing that happens meanwhile is undone.
   */
  update(record: KeyRecord): Promise<void>;
  /** Every key, newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Revokes a key for good, from this moment on. Gives its record, or undefined where there is no such key. */
  revoke(id: string, nowMs: number): Promise<KeyRecord | undefined>;
}
