import { addFigures, type Figures } from "./figures.ts";
import { GRANULARITY_MS, type Granularity } from "./granularity.ts";
import {
  isAmong,
  partOf,
  shardOf,
  tablesOf,
  type Extent,
  type Owners,
  type Series,
  type SeriesBook,
  type SeriesTables,
  type UsageBatch,
} from "./series.ts";

/** The owner of a row, and the part of the owner's series. */
export interface RowKey {
  readonly owner: string;
  readonly part: number;
}

/** A pending row: the usage of some series of an owner in one slot that is not in the database yet. */
export interface PendingRow extends Extent, RowKey {
  readonly cells: Map<Series, Figures>;
}

/** A pending row, and its place. */
export interface PendingRowOfSlot {
  readonly granularity: Granularity;
  readonly slot: number;
  readonly row: PendingRow;
}

/** Writes rollups to the embedded database, within one turn of the event loop. */
export interface RollupWriter {
  transaction(work: () => void): void;
  /** Inserts new series until a deadline, and returns their number. */
  saveSeries(book: SeriesBook, untilMs: number): number;
  addToRow(rollup: Rollup, slot: number, row: PendingRow): void;
  readWatermark(rollup: Rollup): number;
  writeWatermark(rollup: Rollup, id: number): void;
  /** Sets the watermark of all rollups. */
  writeSharedWatermark(id: number): void;
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
  readonly tables: SeriesTables;
  #addedId: number;
  /** Rows whose write is not confirmed, and their watermark: a commit may report an error and still be durable. */
  #unconfirmed: { readonly toId: number; readonly rows: PendingRows }[] = [];
  #rows: PendingRows = new Map();

  constructor(granularity: Granularity, shard: number, addedId: number) {
    this.granularity = granularity;
    this.shard = shard;
    this.tables = tablesOf(shard);
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
  write(database: RollupWriter): void {
    this.forgetWritten(database);
    this.#unconfirmed.push({ toId: this.#addedId, rows: this.#rows });
    this.#rows = new Map();
    for (const { toId, rows } of this.#unconfirmed) {
      for (const [slot, owners] of rows) for (const row of owners.values()) database.addToRow(this, slot, row);
      database.writeWatermark(this, toId);
    }
  }

  /** Drops pending rows that the database already has, according to its watermark: a commit may report an error and still be durable. */
  forgetWritten(database: RollupWriter): void {
    if (this.#unconfirmed.length === 0) return;
    const writtenId = database.readWatermark(this);
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

  *allPending(): Generator<PendingRowOfSlot> {
    const { granularity } = this;
    for (const rows of this.#pendingRows()) {
      for (const [slot, owners] of rows) for (const row of owners.values()) yield { granularity, slot, row };
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
}

/**
 * The sums of a pending row by the ids of the series. The cache of series is emptied now and then, so the row may have several objects for
 * one series.
 */
export function sumsById({ cells }: Pick<PendingRow, "cells">): Map<number, Figures> {
  const sums = new Map<number, Figures>();
  for (const [{ id }, figures] of cells) {
    const known = sums.get(id)?.slice();
    if (known) addFigures(known, figures);
    sums.set(id, known ?? figures);
  }
  return sums;
}

/** Extends an extent to cover another one. */
export function extend(extent: Extent, more: Extent): void {
  if (more.firstId < extent.firstId) extent.firstId = more.firstId;
  if (more.lastId > extent.lastId) extent.lastId = more.lastId;
  if (more.firstMs < extent.firstMs) extent.firstMs = more.firstMs;
  if (more.lastMs > extent.lastMs) extent.lastMs = more.lastMs;
}

/** Above this number of rollups, those without pending rows are dropped. */
const MAX_IDLE = 2000;

/** The watermark of a rollup: the last entry that its rows include. */
export interface Watermark {
  readonly granularity: Granularity;
  readonly shard: number;
  readonly id: number;
}

/**
 * All rollups: one for each granularity and shard, which is a part of the series of some owners. Each rollup is written separately, so that
 * no transaction takes long, however many accounts, keys and end users there are.
 */
export class Rollups {
  #all: Rollup[] = [];
  readonly #byShard: Readonly<Record<Granularity, Map<number, Rollup>>>;
  #reachedId: number;
  readonly #lastParts = new Map<SeriesTables, number>();

  /** `storedId`: the watermark of all rollups. `ahead`: rollups that were written, and others were not yet. */
  constructor(storedId: number, ahead: readonly Watermark[] = []) {
    this.#reachedId = storedId;
    this.#byShard = { quarter: new Map(), hour: new Map(), day: new Map(), five_days: new Map(), month: new Map() };
    for (const { granularity, shard, id } of ahead) this.#make(granularity, shard, Math.max(id, storedId));
  }

  /** Adds a batch to every rollup that does not include it yet. */
  add(batch: UsageBatch): void {
    const { series } = batch;
    const { ofAll } = series;
    for (const granularity of tablesOf(series.shard).granularities) {
      this.#find(granularity, series.shard).add(batch, series);
      if (ofAll) this.#find(granularity, ofAll.shard).add(batch, ofAll);
    }
  }

  /** All entries up to this id were added. */
  reach(id: number): void {
    this.#reachedId = id;
    for (const rollup of this.#all) rollup.reach(id);
  }

  /** The watermarks of rollups that were ahead of the others at startup and still are. */
  get endsAhead(): number[] {
    return this.#all.map(({ addedId }) => addedId).filter((id) => id > this.#reachedId);
  }

  /** The rollups with pending rows. */
  get unwritten(): readonly Rollup[] {
    return this.#all.filter(({ isWritten }) => !isWritten);
  }

  /**
   * Writes some of these rollups in one transaction, within a time limit, and returns the remaining ones. When none remains, the watermark
   * of all rollups becomes `toId`. If the transaction fails, throws the error of SQLite; nothing is lost then.
   */
  write(database: RollupWriter, books: readonly SeriesBook[], due: readonly Rollup[], toId: number, withinMs: number): readonly Rollup[] {
    const left = [...due].toReversed();
    const written: Rollup[] = [];
    const saved = new Map<SeriesBook, number>();
    database.transaction(() => {
      const untilMs = performance.now() + withinMs;
      for (const book of books) saved.set(book, database.saveSeries(book, untilMs));
      if (books.some((book) => saved.get(book)! < book.unsaved.length)) return;
      do {
        const next = left.pop();
        if (!next) break;
        written.push(next);
        next.write(database);
      } while (performance.now() < untilMs);
      if (left.length === 0) database.writeSharedWatermark(toId);
    });
    for (const [book, count] of saved) book.saved(count);
    for (const rollup of written) rollup.forgetWritten(database);
    if (left.length === 0) this.#dropIdle();
    return left.toReversed();
  }

  /** Call it before reading pending rows. */
  forgetWritten(database: RollupWriter): void {
    for (const rollup of this.#all) rollup.forgetWritten(database);
  }

  /** The pending rows of a slot, of these owners. */
  *pending(granularity: Granularity, slot: number, tables: SeriesTables, owners: Owners): Generator<PendingRow> {
    const rollups = "one" in owners ? this.#allOf(granularity, tables, owners.one) : this.#byShard[granularity].values();
    for (const rollup of rollups) {
      if (rollup.tables === tables && rollup.hasPending(slot)) yield* rollup.pending(slot, owners);
    }
  }

  pendingSlots(granularity: Granularity): number[] {
    return [...this.#byShard[granularity].values()].flatMap((rollup) => rollup.pendingSlots());
  }

  /** Drops rollups without pending rows, which need no memory: a rollup that is created again has missed nothing. */
  #dropIdle(): void {
    if (this.#all.length <= MAX_IDLE) return;
    const isIdle = (rollup: Rollup): boolean => rollup.isWritten && rollup.addedId <= this.#reachedId;
    for (const { granularity, shard } of this.#all.filter(isIdle)) this.#byShard[granularity].delete(shard);
    this.#all = this.#all.filter((rollup) => !isIdle(rollup));
  }

  *#allOf(granularity: Granularity, tables: SeriesTables, owner: string): Generator<Rollup> {
    for (let part = 0; part <= (this.#lastParts.get(tables) ?? 0); part++) {
      const rollup = this.#byShard[granularity].get(shardOf(tables, owner, part));
      if (rollup) yield rollup;
    }
  }

  #find(granularity: Granularity, shard: number): Rollup {
    // A new rollup has missed nothing: no earlier entry had a series in it.
    return this.#byShard[granularity].get(shard) ?? this.#make(granularity, shard, this.#reachedId);
  }

  #make(granularity: Granularity, shard: number, addedId: number): Rollup {
    const rollup = new Rollup(granularity, shard, addedId);
    this.#byShard[granularity].set(shard, rollup);
    this.#all.push(rollup);
    const { tables } = rollup;
    this.#lastParts.set(tables, Math.max(this.#lastParts.get(tables) ?? 0, partOf(tables, shard)));
    return rollup;
  }
}
