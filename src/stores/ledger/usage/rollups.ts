import type { Database as SqliteFile } from "bun:sqlite";
import { GRAINS, type Grain } from "./grains.ts";
import { Rollup, type PendingRow } from "./rollup.ts";
import { readStoredIds, writeStoredIdOfAll } from "./stored-ids.ts";
import { EVERYBODY, SHARDS, type Gathered, type SeriesBook } from "./series.ts";

/**
 * All rollups: one for each grain of time and each part of the accounts, and one for each grain of what everybody uses. Each can be
 * written without the others, so that no transaction takes long, however many accounts there are.
 */
export class Rollups {
  readonly all: readonly Rollup[];
  readonly #byGrain: Readonly<Record<Grain, readonly Rollup[]>>;
  readonly #file: SqliteFile;
  readonly #series: SeriesBook;

  constructor(file: SqliteFile, series: SeriesBook) {
    this.#file = file;
    this.#series = series;
    const storedIds = readStoredIds(file);
    const ofGrain = (grain: Grain): Rollup[] =>
      Array.from({ length: SHARDS + 1 }, (_, shard) => new Rollup(file, series, grain, shard, storedIds));
    this.#byGrain = { quarter: ofGrain("quarter"), hour: ofGrain("hour"), day: ofGrain("day"), month: ofGrain("month") };
    this.all = GRAINS.flatMap((grain) => this.#byGrain[grain]);
  }

  /** Counts what was gathered, in every rollup that has not. */
  add(gathered: Gathered): void {
    const { series } = gathered;
    const ofAll = series.ofAll!;
    for (const grain of GRAINS) {
      const rollups = this.#byGrain[grain];
      rollups[series.shard]!.add(gathered, series);
      rollups[ofAll.shard]!.add(gathered, ofAll);
    }
  }

  /** Everything up to this entry was added. */
  reach(id: number): void {
    for (const rollup of this.all) rollup.reach(id);
  }

  /** Those that have something to be written. */
  get unwritten(): readonly Rollup[] {
    return this.all.filter(({ isWritten }) => !isWritten);
  }

  /**
   * Writes some of these in one transaction, as long as the time is not over, and gives those that are left. When none is, all
   * rollups count up to `toId`. Throws where it fails; nothing is lost then.
   */
  write(due: readonly Rollup[], toId: number, withinMs: number): readonly Rollup[] {
    const left = [...due];
    try {
      this.#file.transaction(() => {
        const begun = performance.now();
        do left.shift()?.write();
        while (left.length > 0 && performance.now() - begun < withinMs);
        if (left.length === 0) writeStoredIdOfAll(this.#file, toId);
      })();
    } catch (error) {
      this.#series.forgetNumbers();
      throw error;
    }
    for (const rollup of due) rollup.forgetWritten();
    return left;
  }

  /** To be called before anything of them is read. */
  forgetWritten(): void {
    for (const rollup of this.all) rollup.forgetWritten();
  }

  /** The rows of a slot that are in memory: of one account, of everybody, or with undefined of each account. */
  *pending(grain: Grain, slot: number, owner: string | undefined): Generator<PendingRow> {
    const rollups = this.#byGrain[grain];
    const asked = owner === EVERYBODY ? rollups.slice(SHARDS) : rollups.slice(0, SHARDS);
    for (const rollup of asked) yield* rollup.pending(slot, owner);
  }

  pendingSlots(grain: Grain): number[] {
    return this.#byGrain[grain].flatMap((rollup) => rollup.pendingSlots());
  }
}
