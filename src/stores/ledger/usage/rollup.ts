import type { Database as SqliteFile } from "bun:sqlite";
import { readCells, writeCells } from "./cells.ts";
import { addFigures, FIGURE_COUNT, type Figures } from "./figures.ts";
import { GRANULARITY_MS, type Granularity } from "./granularity.ts";
import { type Extent, type UsageBatch, type Series } from "./series.ts";
import { isAmong, readRow, writeRow, type Owners, type RowKey } from "./rollup-rows.ts";
import { tablesOf, type SeriesTables } from "./series-tables.ts";
import { readWatermark, writeWatermark } from "./rollup-watermarks.ts";

/** A pending row: the usage of some series of an owner in one slot that is not in the database yet. */
export interface PendingRow extends Extent, RowKey {
  readonly cells: Map<Series, Figures>;
}

/** Pending rows by slot, then by owner. A rollup has one part of each owner. */
type PendingRows = Map<number, Map<string, PendingRow>>;

/**
 * A rollup: the usage of some owners at one granularity. Rows in the database include entries up to the watermark; rows in memory include
 * the entries after it. Rows and watermark are written in one transaction, so that a crash neither loses an entry nor counts one twice.
 */
export class Rollup {
  readonly granularity: Granularity;
  readonly shard: number;
  readonly #file: SqliteFile;
  readonly #tables: SeriesTables;
  #addedId: number;
  /** Rows whose write is not confirmed, and their watermark: a commit may report an error and still be durable. */
  #unconfirmed: { readonly toId: number; readonly rows: PendingRows }[] = [];
  #rows: PendingRows = new Map();

  constructor(file: SqliteFile, granularity: Granularity, shard: number, addedId: number) {
    this.#file = file;
    this.granularity = granularity;
    this.shard = shard;
    this.#tables = tablesOf(shard);
    this.#addedId = addedId;
  }

  /** The last entry that is included. */
  get addedId(): number {
    return this.#addedId;
  }

  /** Adds a batch to a series, unless the batch is already included. */
  add(batch: UsageBatch, series: Series): void {
    if (batch.firstId <= this.#addedId) return;
    const slot = Math.floor((batch.quarter * GRANULARITY_MS.quarter) / GRANULARITY_MS[this.granularity]);
    const { cells } = this.#extendRow(slot, series, batch);
    const sums = cells.get(series);
    if (sums) addFigures(sums, batch.figures);
    else cells.set(series, batch.figures.slice());
  }

  /** All entries up to this id were added. */
  reach(id: number): void {
    if (id > this.#addedId) this.#addedId = id;
  }

  /** Whether all rows are in the database. */
  get isWritten(): boolean {
    return this.#rows.size === 0 && this.#unconfirmed.length === 0;
  }

  /** Writes all pending rows. Call it in a transaction. The rows stay pending until `forgetWritten` finds them committed. */
  write(): void {
    this.forgetWritten();
    this.#unconfirmed.push({ toId: this.#addedId, rows: this.#rows });
    this.#rows = new Map();
    for (const { toId, rows } of this.#unconfirmed) this.#writeRows(rows, toId);
  }

  /** Drops pending rows that the database already has, according to its watermark: a commit may report an error and still be durable. */
  forgetWritten(): void {
    if (this.#unconfirmed.length === 0) return;
    const writtenId = readWatermark(this.#file, this.granularity, this.shard);
    this.#unconfirmed = this.#unconfirmed.filter(({ toId }) => toId > writtenId);
  }

  hasPending(slot: number): boolean {
    return this.#rows.has(slot) || this.#unconfirmed.some(({ rows }) => rows.has(slot));
  }

  /** The pending rows of a slot, of these owners. */
  *pending(slot: number, owners: Owners): Generator<PendingRow> {
    for (const rows of this.#pendingRows()) {
      for (const row of rows.get(slot)?.values() ?? []) if (isAmong(row.owner, owners)) yield row;
    }
  }

  pendingSlots(): number[] {
    return this.#pendingRows().flatMap((rows) => [...rows.keys()]);
  }

  #pendingRows(): PendingRows[] {
    return [...this.#unconfirmed.map(({ rows }) => rows), this.#rows];
  }

  #extendRow(slot: number, { owner, part }: Series, extent: Extent): PendingRow {
    let owners = this.#rows.get(slot);
    if (!owners) this.#rows.set(slot, (owners = new Map()));
    let row = owners.get(owner);
    if (row) extend(row, extent);
    else {
      const { firstId, lastId, firstMs, lastMs } = extent;
      row = { owner, part, firstId, lastId, firstMs, lastMs, cells: new Map() };
      owners.set(owner, row);
    }
    return row;
  }

  #writeRows(rows: PendingRows, toId: number): void {
    for (const [slot, owners] of rows) for (const row of owners.values()) this.#writeRow(slot, row);
    writeWatermark(this.#file, this.granularity, this.shard, toId);
  }

  #writeRow(slot: number, row: PendingRow): void {
    const stored = readRow(this.#file, this.#tables, this.granularity, slot, row);
    const cells = new Map<number, Figures>();
    if (stored) readCells(stored, (series, figures) => void cells.set(series, figures.slice()));
    for (const [{ id }, figures] of row.cells) {
      const sums = cells.get(id);
      if (sums) addFigures(sums, figures);
      else cells.set(id, figures.slice());
    }
    const extent: Extent = stored ?? { ...row };
    extend(extent, row);
    writeRow(this.#file, this.#tables, this.granularity, slot, row, { ...extent, cells: writeCells(cells), figures: FIGURE_COUNT });
  }
}

/** Extends an extent to cover another one. */
export function extend(extent: Extent, more: Extent): void {
  if (more.firstId < extent.firstId) extent.firstId = more.firstId;
  if (more.lastId > extent.lastId) extent.lastId = more.lastId;
  if (more.firstMs < extent.firstMs) extent.firstMs = more.firstMs;
  if (more.lastMs > extent.lastMs) extent.lastMs = more.lastMs;
}
