/** A range of ids, both ends included. */
export interface IdRange {
  readonly firstId: number;
  readonly lastId: number;
}

/** Reads the tables of the ledger in either database. */
export interface LedgerRows {
  /** The rows of a query with the parameters `$1`, `$2` and so on. Integers are numbers, so amounts are read as text. */
  all<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Ranges of ids that together contain all entries from one moment to before another, in order. They contain other entries too. Times have
   * no index, because it would slow down every insert.
   */
  idRanges(fromMs: number, toMs: number): Promise<readonly IdRange[]>;
  /** The last entry. */
  lastId(): Promise<number>;
  /** The ids of all holds that are open, and of later entries, are not lower. */
  oldestOpenId(): Promise<number>;
  /** Ids in one slice of a scan. With SQLite a slice blocks the event loop. */
  readonly sliceSize: number;
  /** Yields to the event loop between two slices, if they block it. */
  yieldAfterSlice(): Promise<void>;
  /** SQL after a table, which is then read in the order of the ids. */
  readonly inIdOrder: string;
  /** SQL for a table whose column `value` has the ids in a JSON parameter. */
  idList(parameter: string): string;
  /** SQL for a text in a JSON object. */
  jsonText(column: string, field: string): string;
}

/** The parameters of a query. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value, and returns its placeholder. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Adds the values of a list, and returns SQL for it. */
  addAll(values: readonly unknown[]): string {
    return `(${values.map((value) => this.add(value)).join(", ")})`;
  }
}

/** Divides ranges of ids into slices. */
export function* slicesOf(ranges: readonly IdRange[], size: number): Generator<IdRange> {
  for (const { firstId: from, lastId: to } of ranges) {
    for (let firstId = from; firstId <= to; firstId += size) yield { firstId, lastId: Math.min(to, firstId + size - 1) };
  }
}
