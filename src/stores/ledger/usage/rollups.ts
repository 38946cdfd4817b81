import type { Database as SqliteFile } from "bun:sqlite";
import type { Granularity } from "./granularity.ts";
import { Rollup, type PendingRow } from "./rollup.ts";
import type { Owners } from "./rollup-rows.ts";
import { partOf, shardOf, type UsageBatch, type SeriesBook } from "./series.ts";
import { tablesOf, type SeriesTables } from "./series-tables.ts";
import { readSharedWatermark, readWatermarksAhead, writeSharedWatermark } from "./rollup-watermarks.ts";

/** Above this number of rollups, those without pending rows are dropped. */
const MAX_IDLE = 2000;

/**
 * All rollups: one for each granularity and shard, which is a part of the series of some owners. Each rollup is written separately, so that
 * no transaction takes long, however many accounts, keys and end users there are.
 */
export class Rollups {
  /** The watermark of all rollups at startup. */
  readonly storedId: number;
  #all: Rollup[] = [];
  readonly #byShard: Readonly<Record<Granularity, Map<number, Rollup>>>;
  readonly #file: SqliteFile;
  readonly #books: readonly SeriesBook[];
  #reachedId: number;
  readonly #lastParts = new Map<SeriesTables, number>();

  constructor(file: SqliteFile, books: readonly SeriesBook[]) {
    this.#file = file;
    this.#books = books;
    this.storedId = readSharedWatermark(file);
    this.#reachedId = this.storedId;
    this.#byShard = { quarter: new Map(), hour: new Map(), day: new Map(), five_days: new Map(), month: new Map() };
    for (const { granularity, shard, id } of readWatermarksAhead(file)) this.#make(granularity, shard, Math.max(id, this.storedId));
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
  write(due: readonly Rollup[], toId: number, withinMs: number): readonly Rollup[] {
    const left = [...due].toReversed();
    const written: Rollup[] = [];
    const saved = new Map<SeriesBook, number>();
    this.#file.transaction(() => {
      const untilMs = performance.now() + withinMs;
      for (const book of this.#books) saved.set(book, book.save(untilMs));
      if (this.#books.some((book) => saved.get(book)! < book.unsaved)) return;
      do {
        const next = left.pop();
        if (!next) break;
        written.push(next);
        next.write();
      } while (performance.now() < untilMs);
      if (left.length === 0) writeSharedWatermark(this.#file, toId);
    })();
    for (const [book, count] of saved) book.saved(count);
    for (const rollup of written) rollup.forgetWritten();
    if (left.length === 0) this.#dropIdle();
    return left.toReversed();
  }

  /** Call it before reading pending rows. */
  forgetWritten(): void {
    for (const rollup of this.#all) rollup.forgetWritten();
  }

  /** The pending rows of a slot, of these owners. */
  *pending(granularity: Granularity, slot: number, tables: SeriesTables, owners: Owners): Generator<PendingRow> {
    const rollups = "one" in owners ? this.#allOf(granularity, tables, owners.one) : this.#byShard[granularity].values();
    for (const rollup of rollups) {
      if (tablesOf(rollup.shard) === tables && rollup.hasPending(slot)) yield* rollup.pending(slot, owners);
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
    const rollup = new Rollup(this.#file, granularity, shard, addedId);
    this.#byShard[granularity].set(shard, rollup);
    this.#all.push(rollup);
    const tables = tablesOf(shard);
    this.#lastParts.set(tables, Math.max(this.#lastParts.get(tables) ?? 0, partOf(tables, shard)));
    return rollup;
  }
}
