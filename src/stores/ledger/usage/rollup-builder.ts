import { AttributedSeries, type StoredNames } from "./attributed-series.ts";
import { addFigures } from "./figures.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import type { Rollups } from "./rollups.ts";
import { SeriesBook, USAGE, type Series, type UsageBatch } from "./series.ts";
import type { UsageEvent } from "./usage-event.ts";

/** The number of series of an owner in one row, which is read and written as a whole, and the number of series in memory. */
export interface SeriesLimits {
  /** An account may have very many keys. */
  readonly seriesInRow: number;
  /**
   * The same for the end users, conversations or values of a tag of an account: there are far more of these series, and few are used in a
   * quarter hour.
   */
  readonly attributedInRow: number;
  /** The limit of the cache of series. Beyond it the cache is cleared, and series are looked up again by their names. */
  readonly seriesInMemory: number;
}

export const SERIES_LIMITS: SeriesLimits = { seriesInRow: 256, attributedInRow: 1024, seriesInMemory: 100_000 };

/** Enough for the products of most customers, and few enough for the disk. */
export const DEFAULT_NAMES_PER_DAY = 10_000;

/** Adds the usage of entries to rollups, in memory. Events of one series in a quarter hour are first added to a batch. */
export class RollupBuilder {
  readonly series: SeriesBook;
  readonly attributed: AttributedSeries;
  readonly #open: () => Rollups;
  #rollups: Rollups | undefined;
  #batches: UsageBatch[] = [];

  /** `open` reads the watermarks on first use, so that a start does not wait for this. */
  constructor(stored: StoredNames, { seriesInRow, attributedInRow, seriesInMemory }: SeriesLimits, open: () => Rollups) {
    this.series = new SeriesBook(stored, seriesInRow, USAGE, seriesInMemory);
    this.attributed = new AttributedSeries(stored, attributedInRow, seriesInMemory);
    this.#open = open;
  }

  get rollups(): Rollups {
    return (this.#rollups ??= this.#open());
  }

  /** The number of batches that are not in the rollups yet. */
  get batches(): number {
    return this.#batches.length;
  }

  /** Adds an event, and returns the number of new batches. */
  add(event: UsageEvent): number {
    const before = this.#batches.length;
    // All series are looked up first: if one of them cannot be looked up, the event is added to none of them, and read again later.
    const attributed = event.attribution && this.attributed.seriesOf(event, event.attribution);
    this.#addToBatch(event, this.series.find(event.accountId, event.keyId, event.model, event.upstream));
    if (attributed) for (const series of attributed) this.#addToBatch(event, series);
    return this.#batches.length - before;
  }

  /** Adds the batches to the rollups, which then include all entries up to an id. */
  flush(toId: number): void {
    for (const batch of this.#batches) {
      batch.series.batch = undefined;
      this.rollups.add(batch);
    }
    this.rollups.reach(toId);
    this.#batches = [];
    this.attributed.forgetMany();
  }

  #addToBatch({ id, atMs, figures }: UsageEvent, series: Series): void {
    const quarter = Math.floor(atMs / GRANULARITY_MS.quarter);
    const { batch } = series;
    if (batch?.quarter !== quarter) {
      series.batch = { series, quarter, firstId: id, lastId: id, firstMs: atMs, lastMs: atMs, figures: figures.slice() };
      this.#batches.push(series.batch);
      return;
    }
    addFigures(batch.figures, figures);
    batch.lastId = id;
    if (atMs < batch.firstMs) batch.firstMs = atMs;
    if (atMs > batch.lastMs) batch.lastMs = atMs;
  }
}
