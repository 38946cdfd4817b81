/** The use of a model by a key. */
export interface ModelUse {
  readonly keyId: string;
  readonly lastUsedAtMs: number;
  /** The number of requests ever. */
  readonly requests: number;
}

export interface ModelUseFilter {
  /** Only keys that used the model at or after this time. */
  readonly sinceMs: number;
  /** Only keys that belong to all of these accounts: an empty list does not restrict, and two different accounts match no key. */
  readonly accountIds: readonly string[];
}

/** The part of last-used times that the gateway needs. */
export interface LastUsedRecorder {
  /** Records a request of a key. On the path of every request: memory only, never throws. */
  noteKey(keyId: string, atMs: number): void;
  /** Records that a request of a key was admitted for a model. Memory only, never throws. */
  noteModel(keyId: string, model: string, atMs: number): void;
}

/**
 * Last-used times: when each key was last used, and for which models. For information only: written in the background every 3 s, so a crash
 * loses the last seconds. The ledger has the exact spend.
 */
export interface LastUsedStore extends LastUsedRecorder {
  /** When each of these keys was last used, including unwritten uses. Keys that were never used are not in the map. */
  lastUsedTimes(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The keys that used a model, by id, after `afterKeyId`. Pending uses are written first, if the database can be written. */
  keysUsing(model: string, filter: ModelUseFilter, afterKeyId: string | undefined, limit: number): Promise<readonly ModelUse[]>;
}

/** The uses of a key within some period. */
export interface KeyUses {
  readonly lastUsedAtMs: number;
  readonly models: ReadonlyMap<string, { readonly lastUsedAtMs: number; readonly requests: number }>;
}

/** A store that also accepts the uses that other processes have counted. If it gets two times, the later one counts. */
export interface SummingLastUsedStore extends LastUsedStore {
  add(keyId: string, uses: KeyUses): void;
}
