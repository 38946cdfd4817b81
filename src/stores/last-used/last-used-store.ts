/** That a key has used a model. */
export interface ModelUse {
  readonly keyId: string;
  readonly lastUsedAtMs: number;
  /** How often, ever. */
  readonly requests: number;
}

export interface ModelUseFilter {
  /** Those that have used it since. */
  readonly sinceMs: number;
  /** Those of an account. Where there are several, of all of them at once: two that differ find nothing. */
  readonly accountIds: readonly string[];
}

/**
 * Keeps which keys are used, and for what. This is to be known, not to be proven: it is written seconds after the fact, and a
 * crash forgets those seconds. What is spent is the ledger's to know.
 */
export interface LastUsedStore {
  /** A key has made a request. On the path of every request: it is remembered here, and written later. */
  noteKey(keyId: string, atMs: number): void;
  /** A request of a key was let through to a model. The same holds. */
  noteModel(keyId: string, model: string, atMs: number): void;
  /** When each of these keys was last used; those that never were are left out. */
  lastUsedTimes(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The keys that have used a model, by id, from after one on. */
  keysUsing(model: string, filter: ModelUseFilter, afterKeyId: string | undefined, limit: number): Promise<readonly ModelUse[]>;
}
