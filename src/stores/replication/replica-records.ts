/**
 * The records of a store of the owner process, in a gateway process. An equal record stays the same object, also where it is sent again after a
 * reconnect: caches compare records by identity.
 */
export class ReplicaRecords<T extends { readonly id: string }, Row> {
  readonly #makeReader: () => (row: Row) => T;
  readonly #records = new Map<string, T>();
  /** The ids of the snapshot in progress, as far as it was received. */
  #received: Set<string> | undefined;

  constructor(makeReader: () => (row: Row) => T) {
    this.#makeReader = makeReader;
  }

  find(id: string): T | undefined {
    return this.#records.get(id);
  }

  ids(): string[] {
    return [...this.#records.keys()];
  }

  /** Starts a snapshot. Records that it has not sent yet stay in force. */
  begin(): void {
    this.#received = new Set();
  }

  /** Puts changed records, or a part of a snapshot, in force. */
  put(rows: readonly Row[]): void {
    const read = this.#makeReader();
    for (const row of rows) {
      const record = read(row);
      this.#received?.add(record.id);
      const before = this.#records.get(record.id);
      if (!before || !Bun.deepEquals(before, record, true)) this.#records.set(record.id, record);
    }
  }

  /** Removes records that were deleted. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#records.delete(id);
  }

  /** Ends the snapshot. Records that it lacks are removed: the owner's database was restored from a backup. */
  complete(): void {
    for (const id of this.#records.keys()) if (!this.#received?.has(id)) this.#records.delete(id);
    this.#received = undefined;
  }
}
