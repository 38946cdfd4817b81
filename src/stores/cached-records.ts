interface Options<T> {
  /** Whether two records are equal. If they are, the earlier object stays. */
  readonly isSame?: (one: T, other: T) => boolean;
  /** A record that was read again, without the access that `written` had and `inForce` lacks. */
  readonly withLosses?: (read: T, written: T, inForce: T) => T;
  /** Called in the turn of the event loop in which a record comes into force, or is removed. */
  readonly changed?: (record: T | undefined, before: T | undefined) => void;
}

/**
 * A copy of a store's records in memory, by id. Records that another process changes are read again. A record that did not change stays the
 * same object: caches compare records by identity.
 */
export class CachedRecords<T extends object> {
  readonly #options: Options<T>;
  #records = new Map<string, T>();
  /** The last written state of records that have lost access in this process although the loss could not be written. */
  readonly #unwritten = new Map<string, T>();

  constructor(options: Options<T> = {}) {
    this.#options = options;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  values(): MapIterator<T> {
    return this.#records.values();
  }

  ids(): string[] {
    return [...this.#records.keys()];
  }

  /** Puts a written record in force. */
  put(id: string, record: T): void {
    this.#unwritten.delete(id);
    this.#set(id, record);
  }

  /** Puts in force a record in which only the last use has changed. */
  touch(id: string, record: T): void {
    this.#set(id, record);
  }

  /** Removes a record that was deleted. */
  remove(id: string): void {
    this.#unwritten.delete(id);
    this.#set(id, undefined);
  }

  /**
   * Puts a loss of access in force that could not be written: the record without the access, or no record. The loss stays in force when the
   * record is read again.
   */
  lose(id: string, inForce: T | undefined): void {
    const current = this.#records.get(id);
    if (current && !this.#unwritten.has(id)) this.#unwritten.set(id, current);
    this.#set(id, inForce);
  }

  /** Whether a loss of access to this record is in force but could not be written. */
  isUnwritten(id: string): boolean {
    return this.#unwritten.has(id);
  }

  /**
   * Puts records in force that were read from the database: the records with these ids, or all. A requested record that is not in `read` no
   * longer exists. This takes ownership of `read`.
   */
  replace(ids: readonly string[] | "all", read: Map<string, T>): void {
    if (this.#records.size === 0 && this.#unwritten.size === 0) return this.#putFirst(read);
    for (const [id, record] of read) this.#putAgain(id, record);
    for (const id of ids === "all" ? this.ids() : ids) if (!read.has(id)) this.remove(id);
  }

  /** The first read neither compares nor copies: with 100,000 records that would take as long as reading them. */
  #putFirst(read: Map<string, T>): void {
    this.#records = read;
    for (const record of read.values()) this.#options.changed?.(record, undefined);
  }

  #putAgain(id: string, read: T): void {
    const before = this.#records.get(id);
    const inForce = this.#withLosses(id, read, before);
    if (!before || !inForce || !this.#isSame(before, inForce)) this.#set(id, inForce);
  }

  #withLosses(id: string, read: T, current: T | undefined): T | undefined {
    const written = this.#unwritten.get(id);
    if (!written) return read;
    const inForce = current && (this.#options.withLosses?.(read, written, current) ?? current);
    if (inForce && this.#isSame(inForce, read)) this.#unwritten.delete(id);
    else this.#unwritten.set(id, read);
    return inForce;
  }

  #isSame(one: T, other: T): boolean {
    return this.#options.isSame?.(one, other) ?? Bun.deepEquals(one, other, true);
  }

  #set(id: string, record: T | undefined): void {
    const before = this.#records.get(id);
    if (record) this.#records.set(id, record);
    else this.#records.delete(id);
    if (record || before) this.#options.changed?.(record, before);
  }
}
