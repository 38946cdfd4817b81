import type { KeyRecord } from "../../access/api-key.ts";
import type { Change, MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { RecordListener } from "../change-listeners.ts";

/** The read port of the gateway. */
export interface KeyReader {
  /**
   * The record of a key by its public id, in any state. Served from memory, because every request needs it. It is the same object until the
   * key changes: caches compare it.
   */
  find(id: string): KeyRecord | undefined;
}

/** API keys, as hashes: no plaintext key is stored. Writes throw `StorageUnavailable` while the database cannot be written. */
export interface KeyStore extends KeyReader {
  /** Adds a key. It is durable, with its change in the audit log, and usable when this resolves. */
  add(record: KeyRecord, change: Change): Promise<void>;
  /**
   * Changes a key without revoking it. The change is in force and durable when this resolves; if this throws, the key is unchanged. `make`
   * may be called more than once. It makes no record for an unknown id: use `add` for new keys.
   */
  update<Made extends Update<KeyRecord> | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made>;
  /**
   * Revokes a key, or its previous secret, for good, at the time in the record that `make` returns; `make` as in `update`. When this
   * settles, the key is rejected in this process. It stays rejected even if this throws because the revocation could not be written. The
   * revocation is durable when this resolves.
   */
  revoke<Made extends Update<KeyRecord> | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made>;
  /** Whether a revocation of this key is in force but not durable: a restart would undo it. */
  isUnwritten(id: string): boolean;
  /**
   * Deletes a key if `make` returns a change for the audit log. The key is unknown in this process when this resolves. If this throws, the
   * key is unchanged.
   */
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made>;
  /** All keys, in no particular order, including keys that other processes have just added. */
  list(): Promise<readonly KeyRecord[]>;
  /** The id of every key. */
  ids(): string[];
  /** Calls the listener for each key that is added, changed or revoked, even if the revocation could not be written. */
  onChange(listener: RecordListener<KeyRecord>): void;
  /** Calls the listener for each key that is deleted. */
  onRemove(listener: (key: KeyRecord) => void): void;
}
