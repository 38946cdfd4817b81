import type { Database as SqliteFile } from "bun:sqlite";
import { GRANULARITIES, type Granularity } from "./granularity.ts";
import { Rollup, type PendingRow } from "./rollup.ts";
import { partOf, shardOf, type UsageBatch, type SeriesBook } from "./series.ts";
import { readSharedWatermark, readWatermarksAhead, writeSharedWatermark } from "./rollup-watermarks.ts";

/**
 * All rollups: for each granularity of time one for each shard that came up, which is a part of the series of some accounts, or of
 * everybody. Each can be written without the others, so that no transaction takes long, however many accounts and keys there are.
 */
export class Rollups {
  /** Everything up to this entry is in the database. */
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

  /** Counts what was gathered, in every rollup that has not. */
  add(gathered: UsageBatch): void {
    const { series } = gathered;
    const ofAll = series.ofAll!;
    for (const granularity of GRANULARITIES) {
      this.#find(granularity, series.shard).add(gathered, series);
      this.#find(granularity, ofAll.shard).add(gathered, ofAll);
    }
  }

  /** Everything up to this entry was added. */
  reach(id: number): void {
    this.#reachedId = id;
    for (const rollup of this.#all) rollup.reach(id);
  }

  /** The entries at which one of them had ended before this start, and the rest had not come to. */
  get endsAhead(): number[] {
    return this.#all.map(({ addedId }) => addedId).filter((id) => id > this.#reachedId);
  }

  /** Those that have something to be written. */
  get unwritten(): readonly Rollup[] {
    return this.#all.filter(({ isWritten }) => !isWritten);
  }

  /**
   * Writes some of these in one transaction, as long as the time is not over, and gives those that are left. When none is, all
   * rollups count up to `toId`. Throws where it fails; nothing is lost then.
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

  /** To be called before anything of them is read. */
  forgetWritten(): void {
    for (const rollup of this.#all) rollup.forgetWritten();
  }

  /** The rows of a slot that are in memory: of one account, of everybody, or with undefined of each account. */
  *pending(granularity: Granularity, slot: number, owner: string | undefined): Generator<PendingRow> {
    const asked = owner === undefined ? this.#byShard[granularity].values() : this.#allOf(granularity, owner);
    for (const rollup of asked) if (rollup.hasPending(slot)) yield* rollup.pending(slot, owner);
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
    // One that nothing was added to has missed nothing.
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
