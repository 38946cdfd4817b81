import type { KeyRecord } from "../../vocabulary/api-key.ts";

/** Keeps what is known of callers' keys. */
export interface KeyStore {
  /** The record of a key by its public id, whatever its state. On the path of every request: it answers from memory. */
  find(id: string): KeyRecord | undefined;
  /** Adds a key. It is durable, and callers can use it, when this resolves. */
  add(record: KeyRecord): Promise<void>;
  /** Puts a changed record in the place of the one with its id. Durable, and in force, when this resolves. */
  update(record: KeyRecord): Promise<void>;
  /** Every key, newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Revokes a key for good, from this moment on. Gives its record, or undefined where there is no such key. */
  revoke(id: string, nowMs: number): Promise<KeyRecord | undefined>;
}
