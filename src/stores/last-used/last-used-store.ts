/** The use of a model by a key. */
export interface ModelUse {
  readonly keyId: string;
  readonly lastUsedAtMs: number;
  /** All requests ever. */
  readonly requests: number;
}

export interface ModelUseFilter {
  /** Only keys that used the model at this moment or later. */
  readonly sinceMs: number;
  /** Keys that belong to all of these accounts: none restricts nothing, and two different ones match no key. */
  readonly accountIds: readonly string[];
}

/** What the gateway needs of last-used times. */
export interface LastUsedRecorder {
  /** Records a request of a key. On the path of every request: memory only, never throws. */
  noteKey(keyId: string, atMs: number): void;
  /** Records that a request of a key was admitted for a model. Memory only, never throws. */
  noteModel(keyId: string, model: string, atMs: number): void;
}

/**
 * Last-used times: when each key was last used, and for which models. For information only: written in the background every 3 s, so a crash
 * loses the last seconds. The exact spend is in the ledger.
 */
export interface LastUsedStore extends LastUsedRecorder {
  /** When each of these keys was last used, unwritten uses included. Keys that never were are not in the map. */
  lastUsedTimes(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The keys that used a model, by id, after `afterKeyId`. Pending uses are written first, where the database can be written. */
  keysUsing(model: string, filter: ModelUseFilter, afterKeyId: string | undefined, limit: number): Promise<readonly ModelUse[]>;
}

/** The uses of a key since some moment. */
export interface KeyUses {
  readonly lastUsedAtMs: number;
  readonly models: ReadonlyMap<string, { readonly lastUsedAtMs: number; readonly requests: number }>;
}

/** A store that also takes the uses that other processes have counted. Of two times the later one counts. */
export interface SummingLastUsedStore extends LastUsedStore {
  add(keyId: string, uses: KeyUses): void;
}
