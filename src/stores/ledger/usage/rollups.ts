import type { Database as SqliteFile } from "bun:sqlite";
import { GRANULARITIES, type Granularity } from "./granularity.ts";
import { Rollup, type PendingRow } from "./rollup.ts";
import { partOf, shardOf, type UsageBatch, type SeriesBook } from "./series.ts";
import { readSharedWatermark, readWatermarksAhead, writeSharedWatermark } from "./rollup-watermarks.ts";

/**
 * All rollups: one for each granularity and shard, which is a part of the series of some accounts, or of everybody. Each is written on its own,
 * so that no transaction takes long, however many accounts and keys there are.
 */
export class Rollups {
  /** The watermark of all rollups at startup. */
  readonly storedId: number;
  readonly #all: Rollup[] = [];
  readonly #byShard: Readonly<Record<Granularity, Map<number, Rollup>>>;
  readonly #file: SqliteFile;
  readonly #series: SeriesBook;
  #reachedId: number;
  #lastPart = 0;

  constructor(file: SqliteFile, series: SeriesBook) {
    this.#file = file;
    this.#series = series;
    this.storedId = readSharedWatermark(file);
    this.#reachedId = this.storedId;
    this.#byShard = { quarter: new Map(), hour: new Map(), day: new Map(), month: new Map() };
    for (const { granularity, shard, id } of readWatermarksAhead(file)) this.#make(granularity, shard, Math.max(id, this.storedId));
  }

  /** Adds a batch to every rollup that does not include it. */
  add(batch: UsageBatch): void {
    const { series } = batch;
    const ofAll = series.ofAll!;
    for (const granularity of GRANULARITIES) {
      this.#find(granularity, series.shard).add(batch, series);
      this.#find(granularity, ofAll.shard).add(batch, ofAll);
    }
  }

  /** All entries up to this one were added. */
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
   * Writes some of these in one transaction, within a time limit, and returns the remaining ones. When none remains, the watermark of all
   * rollups becomes `toId`. Throws the error of SQLite where it fails; nothing is lost then.
   */
  write(due: readonly Rollup[], toId: number, withinMs: number): readonly Rollup[] {
    const left = [...due].toReversed();
    const written: Rollup[] = [];
    let saved = 0;
    this.#file.transaction(() => {
      const untilMs = performance.now() + withinMs;
      saved = this.#series.save(untilMs);
      if (saved < this.#series.unsaved) return;
      do {
        const next = left.pop();
        if (!next) break;
        written.push(next);
        next.write();
      } while (performance.now() < untilMs);
      if (left.length === 0) writeSharedWatermark(this.#file, toId);
    })();
    this.#series.saved(saved);
    for (const rollup of written) rollup.forgetWritten();
    return left.toReversed();
  }

  /** Call it before reading pending rows. */
  forgetWritten(): void {
    for (const rollup of this.#all) rollup.forgetWritten();
  }

  /** The pending rows of a slot: of one account, of `EVERYBODY`, or with undefined of each account. */
  *pending(granularity: Granularity, slot: number, owner: string | undefined): Generator<PendingRow> {
    const rollups = owner === undefined ? this.#byShard[granularity].values() : this.#allOf(granularity, owner);
    for (const rollup of rollups) if (rollup.hasPending(slot)) yield* rollup.pending(slot, owner);
  }

  pendingSlots(granularity: Granularity): number[] {
    return [...this.#byShard[granularity].values()].flatMap((rollup) => rollup.pendingSlots());
  }

  *#allOf(granularity: Granularity, owner: string): Generator<Rollup> {
    for (let part = 0; part <= this.#lastPart; part++) {
      const rollup = this.#byShard[granularity].get(shardOf(owner, part));
      if (rollup) yield rollup;
    }
  }

  #find(granularity: Granularity, shard: number): Rollup {
    // A new rollup has missed nothing: no entry so far had a series in it.
    return this.#byShard[granularity].get(shard) ?? this.#make(granularity, shard, this.#reachedId);
  }

  #make(granularity: Granularity, shard: number, addedId: number): Rollup {
    const rollup = new Rollup(this.#file, granularity, shard, addedId);
    this.#byShard[granularity].set(shard, rollup);
    this.#all.push(rollup);
    this.#lastPart = Math.max(this.#lastPart, partOf(shard));
    return rollup;
  }
}
