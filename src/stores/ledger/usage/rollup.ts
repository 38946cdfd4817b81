import type { Database as SqliteFile } from "bun:sqlite";
import { readCells, writeCells } from "./cells.ts";
import { addFigures, type Figures } from "./figures.ts";
import { GRANULARITY_MS, type Granularity } from "./granularity.ts";
import { EVERYBODY, type Extent, type UsageBatch, type Series } from "./series.ts";
import { readRow, writeRow, type RowKey } from "./rollup-rows.ts";
import { readWatermark, writeWatermark } from "./rollup-watermarks.ts";

/** A part of what an account has used in a stretch of time, as far as it is not in the database. */
export interface PendingRow extends Extent, RowKey {
  readonly cells: Map<Series, Figures>;
}

/** By slot, then by account. Of an account there is one part here. */
type PendingRows = Map<number, Map<string, PendingRow>>;

/**
 * What some accounts have used, added up by one granularity of time: rows in the database up to an entry, and in memory those behind it.
 * Both together are what all entries that were added come to. The rows and the number of that entry are written in one
 * transaction, so that this is so after a crash as well.
 */
export class Rollup {
  readonly granularity: Granularity;
  readonly #file: SqliteFile;
  readonly #shard: number;
  #addedId: number;
  /** What could not be written, and up to which entry; an attempt may have failed and be there all the same. */
  #waiting: { readonly toId: number; readonly rows: PendingRows }[] = [];
  #rows: PendingRows = new Map();

  constructor(file: SqliteFile, granularity: Granularity, shard: number, addedId: number) {
    this.#file = file;
    this.granularity = granularity;
    this.#shard = shard;
    this.#addedId = addedId;
  }

  /** The entry up to which everything is counted. */
  get addedId(): number {
    return this.#addedId;
  }

  /** Counts what was gathered as the use of a series, unless it was counted before. */
  add(gathered: UsageBatch, series: Series): void {
    if (gathered.firstId <= this.#addedId) return;
    const slot = Math.floor((gathered.quarter * GRANULARITY_MS.quarter) / GRANULARITY_MS[this.granularity]);
    const { cells } = this.#extendRow(slot, series, gathered);
    const sums = cells.get(series);
    if (sums) addFigures(sums, gathered.figures);
    else cells.set(series, gathered.figures.slice());
  }

  /** Everything up to this entry was added. */
  reach(id: number): void {
    if (id > this.#addedId) this.#addedId = id;
  }

  /** Whether there is anything that is not in the database. */
  get isWritten(): boolean {
    return this.#rows.size === 0 && this.#waiting.length === 0;
  }

  /** Writes all that was added. Belongs into a transaction; it counts as before until it is known that this is done. */
  write(): void {
    this.forgetWritten();
    this.#waiting.push({ toId: this.#addedId, rows: this.#rows });
    this.#rows = new Map();
    for (const { toId, rows } of this.#waiting) this.#writeRows(rows, toId);
  }

  /** What is in the database must not be counted here. A commit may fail and be there all the same, so that is where it is looked up. */
  forgetWritten(): void {
    if (this.#waiting.length === 0) return;
    const writtenId = readWatermark(this.#file, this.granularity, this.#shard);
    this.#waiting = this.#waiting.filter(({ toId }) => toId > writtenId);
  }

  hasPending(slot: number): boolean {
    return this.#rows.has(slot) || this.#waiting.some(({ rows }) => rows.has(slot));
  }

  /** The rows of a slot that are in memory: of one account, or of each, which everybody is not. */
  *pending(slot: number, accountId: string | undefined): Generator<PendingRow> {
    for (const rows of this.#pendingRows()) {
      for (const row of rows.get(slot)?.values() ?? []) {
        if (accountId === undefined ? row.accountId !== EVERYBODY : row.accountId === accountId) yield row;
      }
    }
  }

  pendingSlots(): number[] {
    return this.#pendingRows().flatMap((rows) => [...rows.keys()]);
  }

  #pendingRows(): PendingRows[] {
    return [...this.#waiting.map(({ rows }) => rows), this.#rows];
  }

  #extendRow(slot: number, { accountId, part }: Series, extent: Extent): PendingRow {
    let accounts = this.#rows.get(slot);
    if (!accounts) this.#rows.set(slot, (accounts = new Map()));
    let row = accounts.get(accountId);
    if (row) extend(row, extent);
    else {
      const { firstId, lastId, firstMs, lastMs } = extent;
      row = { accountId, part, firstId, lastId, firstMs, lastMs, cells: new Map() };
      accounts.set(accountId, row);
    }
    return row;
  }

  #writeRows(rows: PendingRows, toId: number): void {
    for (const [slot, accounts] of rows) for (const row of accounts.values()) this.#writeRow(slot, row);
    writeWatermark(this.#file, this.granularity, this.#shard, toId);
  }

  #writeRow(slot: number, row: PendingRow): void {
    const stored = readRow(this.#file, this.granularity, slot, row);
    const cells = new Map<number, Figures>();
    if (stored) readCells(stored.cells, (series, figures) => void cells.set(series, figures.slice()));
    for (const [{ id }, figures] of row.cells) {
      const sums = cells.get(id);
      if (sums) addFigures(sums, figures);
      else cells.set(id, figures.slice());
    }
    const extent: Extent = stored ?? { ...row };
    extend(extent, row);
    writeRow(this.#file, this.granularity, slot, row, { ...extent, cells: writeCells(cells) });
  }
}

/** Lets an extent cover another one too. */
export function extend(extent: Extent, more: Extent): void {
  if (more.firstId < extent.firstId) extent.firstId = more.firstId;
  if (more.lastId > extent.lastId) extent.lastId = more.lastId;
  if (more.firstMs < extent.firstMs) extent.firstMs = more.firstMs;
  if (more.lastMs > extent.lastMs) extent.lastMs = more.lastMs;
}
