interface Options<T> {
  /** Whether two records are equal: then the earlier object stays. */
  readonly isSame?: (one: T, other: T) => boolean;
  /** A record as it was read again, without the access that `inForce` lacks and `written` had. */
  readonly withLosses?: (read: T, written: T, inForce: T) => T;
  /** Called in the turn of the event loop in which a record comes into force, or is removed. */
  readonly changed?: (record: T | undefined, before: T | undefined) => void;
}

/**
 * The records of a store in memory, by id. Another process may change them, and they are read again then. A record that did not change stays the
 * same object: caches compare records by identity.
 */
export class CachedRecords<T extends object> {
  readonly #options: Options<T>;
  #records = new Map<string, T>();
  /** The last written state of records that have lost access in this process, although that could not be written. */
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

  /** Puts a record in force that was written. */
  put(id: string, record: T): void {
    this.#unwritten.delete(id);
    this.#set(id, record);
  }

  /** Puts a record in force that differs in its last use alone. */
  touch(id: string, record: T): void {
    this.#set(id, record);
  }

  /** Removes a record that was deleted. */
  remove(id: string): void {
    this.#unwritten.delete(id);
    this.#set(id, undefined);
  }

  /** Puts a loss of access in force that could not be written: the record without it, or none. It holds also when the record is read again. */
  lose(id: string, inForce: T | undefined): void {
    const current = this.#records.get(id);
    if (current && !this.#unwritten.has(id)) this.#unwritten.set(id, current);
    this.#set(id, inForce);
  }

  /** Whether a loss of access is in force that could not be written. */
  isUnwritten(id: string): boolean {
    return this.#unwritten.has(id);
  }

  /** Puts records in force that were read: those with these ids, or all. The others of them no longer exist. `read` is given away. */
  replace(ids: readonly string[] | "all", read: Map<string, T>): void {
    if (this.#records.size === 0 && this.#unwritten.size === 0) return this.#putFirst(read);
    for (const [id, record] of read) this.#putAgain(id, record);
    for (const id of ids === "all" ? this.ids() : ids) if (!read.has(id)) this.remove(id);
  }

  /** With a hundred thousand records, to compare and copy them would take as long as to read them. */
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
