import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import type { Entry } from "../../../money/ledger-entry.ts";
import { AttributedSeries } from "./attributed-series.ts";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import { addFigures } from "./figures.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import { refuseFarBehind } from "./refuse-far-behind.ts";
import type { Rollup } from "./rollup.ts";
import { Rollups } from "./rollups.ts";
import { SeriesBook, type Series, type UsageBatch } from "./series.ts";
import { USAGE } from "./series-tables.ts";
import { readUsageEvents, usageEventOf, type UsageEvent } from "./usage-event.ts";

const CHECK_EVERY_MS = 1000;
/** Entries taken from memory at once, which takes less than a millisecond. */
const TAKEN_AT_ONCE = 512;
/** The number of batches before they are added to the rollups. Most usage belongs to a few series, so one batch has many events. */
const MAX_BATCHES = 2048;
/** The pause between two slices of catching up, so that requests get most of the CPU time. */
const PAUSE_MS = 5;

/** Enough for the products of most customers, and few enough for the disk. */
export const DEFAULT_NAMES_PER_DAY = 10_000;

/** The size of a slice of work, which blocks the event loop for a few milliseconds. */
export interface Pace {
  readonly entriesRead: number;
  readonly writeMs: number;
  /**
   * The number of events and batches before the rollups are written: after a crash this number of events is read again, and the batches are
   * in memory.
   */
  readonly usesPerWrite: number;
  /** The number of an account's series in one row, which is read and written as a whole. An account may have very many keys. */
  readonly seriesInRow: number;
  /**
   * The same for the end users, conversations or values of a tag of an account: there are far more of these series, and few are used in a
   * quarter hour.
   */
  readonly attributedInRow: number;
  /** The maximum number of end users, of conversations and of values of a tag, for an account and day. */
  readonly namesPerDay: number;
  /**
   * The maximum number of missing entries that a report waits for: 1 to 2 s. With more missing entries the report is rejected with
   * `overloaded`.
   */
  readonly awaited: number;
}

const PACE: Pace = {
  entriesRead: 1000,
  writeMs: 3,
  usesPerWrite: 16_384,
  seriesInRow: 256,
  attributedInRow: 1024,
  namesPerDay: DEFAULT_NAMES_PER_DAY,
  awaited: 200_000,
};

/**
 * Updates the rollups with new entries in the background. Entries that the ledger has just written come from memory; other entries, as
 * after a start, are read from the database.
 */
export class RollupUpdater {
  readonly series: SeriesBook;
  readonly attributed: AttributedSeries;
  #rollups: Rollups | undefined;
  readonly #file: SqliteFile;
  readonly #pace: Pace;
  readonly #timer: Timer;
  #inbox: (readonly Entry[])[] = [];
  #inboxSize = 0;
  #batches: UsageBatch[] = [];
  /** The number of events that are in no stored rollup yet, plus the number of their batches. */
  #unwritten = 0;
  /** The rollups that will be written, and the watermark that they have reached. */
  #due: readonly Rollup[] = [];
  #dueId = 0;
  /** The last entry that was taken. */
  #takenId = 0;
  /** Whether all later entries arrive through the inbox. */
  #isLive = false;
  #isScheduled = false;
  #isRead = false;
  #isClosed = false;

  constructor(file: SqliteFile, pace: Partial<Pace> = {}) {
    this.#file = file;
    this.#pace = { ...PACE, ...pace };
    const { seriesInRow, attributedInRow, namesPerDay } = this.#pace;
    this.series = new SeriesBook(file, seriesInRow, USAGE);
    this.attributed = new AttributedSeries(file, attributedInRow, namesPerDay, () => this.rollups);
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
  }

  /** Created on first use, so that a start does not wait for this. */
  get rollups(): Rollups {
    if (this.#rollups) return this.#rollups;
    this.#rollups = new Rollups(this.#file, [this.series, this.attributed.book]);
    this.#takenId = this.#rollups.storedId;
    return this.#rollups;
  }

  /** Receives entries that have just been written to the database. Only queues them, because this is on the path of requests. */
  note(entries: readonly Entry[]): void {
    if (!this.#isLive) return;
    this.#inbox.push(entries);
    this.#inboxSize += entries.length;
    if (this.#inboxSize >= TAKEN_AT_ONCE) this.#schedule();
  }

  /**
   * Reads the rollups once they include all entries of the database. They do not change meanwhile, so that a report is as of one moment.
   * One reading at a time. Throws the error of SQLite if the rollups cannot be written and do not fit into memory, and `overloaded` if too
   * many entries are missing, as after a move of a large ledger.
   */
  async read<Result>(report: () => Promise<Result>): Promise<Result> {
    this.#rejectFarBehind();
    await this.#catchUp();
    this.#isRead = true;
    try {
      return await report();
    } finally {
      this.#isRead = false;
      this.#check();
    }
  }

  /**
   * Erases names from the rollups, and returns the last entry that they include. All rollups are written first, so that no entry up to that
   * one is ever read again: under its new name it would be added to another series, and counted twice.
   */
  eraseNames(accountId: string, names: ErasedNames): Promise<number> {
    return this.read(async () => {
      let due = this.rollups.unwritten;
      do {
        due = this.rollups.write(due, this.#takenId, this.#pace.writeMs);
        await nextTurn();
      } while (due.length > 0);
      [this.#due, this.#unwritten] = [[], 0];
      await this.attributed.eraseNames(accountId, names);
      return this.#takenId;
    });
  }

  /** Writes all rollups, so that the next start continues from there. Never throws. */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    if (!this.#isLive) return;
    try {
      this.#takeNoted();
      this.#flushBatches();
      for (let due = this.rollups.unwritten; due.length > 0;) due = this.rollups.write(due, this.#takenId, this.#pace.writeMs);
    } catch {
      // Ignored: the next start reads the entries again.
    }
  }

  #rejectFarBehind(): void {
    if (this.#isLive) return;
    // On first use, `rollups` sets `#takenId` to the watermark of the previous process.
    const takenId = Math.max(this.rollups.storedId, this.#takenId);
    const lastId = this.#lastId();
    if (lastId - takenId > this.#pace.awaited) this.#check();
    refuseFarBehind(takenId, lastId, this.#pace.awaited);
  }

  #check(): void {
    if (!this.#isLive || this.#inboxSize > 0 || this.#due.length > 0) this.#schedule();
  }

  /** Schedules at most one step, so that the pauses are respected. */
  #schedule(pauseMs?: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const step = (): void => {
      this.#isScheduled = false;
      this.#step();
    };
    if (pauseMs === undefined) setImmediate(step);
    else setTimeout(step, pauseMs);
  }

  /** The work of one turn of the event loop. */
  #step(): void {
    if (this.#isRead || this.#isClosed) return;
    try {
      this.#takeNoted();
      if (this.#batches.length >= MAX_BATCHES || this.#unwritten >= this.#pace.usesPerWrite) this.#flushBatches();
      this.#advance();
    } catch {
      // Retried at the next check.
      return;
    }
    if (this.#due.length > 0) this.#schedule();
    else if (!this.#isLive) this.#schedule(PAUSE_MS);
  }

  async #catchUp(): Promise<void> {
    while (!this.#isLive) {
      this.#advance();
      if (!this.#isLive) await nextTurn();
    }
    this.#takeNoted();
    this.#flushBatches();
    await nextTurn();
    if (!this.#isLive) return this.#catchUp();
    this.#takeNoted();
    this.#flushBatches();
    this.rollups.forgetWritten();
  }

  /** Writes some of the due rollups. If none are due, reads some entries. */
  #advance(): void {
    if (this.#due.length > 0) this.#due = this.rollups.write(this.#due, this.#dueId, this.#pace.writeMs);
    else if (!this.#isLive) this.#readOn();
  }

  #takeNoted(): void {
    const noted = this.#inbox;
    this.#inbox = [];
    this.#inboxSize = 0;
    try {
      for (const entries of noted) for (const entry of entries) this.#take(entry);
    } catch (error) {
      // A query failed. The entries that were not taken are later read from the database.
      this.#isLive = false;
      throw error;
    }
  }

  #take(entry: Entry): void {
    if (entry.id <= this.#takenId) return;
    const use = usageEventOf(entry);
    if (use) this.#add(use);
    this.#takenId = entry.id;
  }

  #readOn(): void {
    const { rollups } = this;
    const lastId = this.#lastId();
    const endId = Math.min(lastId, this.#takenId + this.#pace.entriesRead);
    // A rollup includes a batch as a whole or not at all, so a batch ends at the watermark of each rollup that is ahead.
    const ends = rollups.endsAhead.filter((id) => id > this.#takenId && id < endId);
    for (const toId of [...new Set(ends)].toSorted((one, other) => one - other).concat(endId)) {
      for (const use of readUsageEvents(this.#file, this.#takenId, toId)) {
        this.#add(use);
        this.#takenId = use.id;
      }
      this.#takenId = toId;
      this.#flushBatches();
    }
    this.#isLive = endId === lastId;
  }

  #lastId(): number {
    return this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  }

  #add(use: UsageEvent): void {
    this.#unwritten++;
    // All series are looked up first: if one of them cannot be looked up, the event is added to none of them, and read again later.
    const attributed = use.attribution && this.attributed.seriesOf(use, use.attribution);
    this.#batch(use, this.series.find(use.accountId, use.keyId, use.model, use.upstream));
    if (attributed) for (const series of attributed) this.#batch(use, series);
  }

  #batch({ id, atMs, figures }: UsageEvent, series: Series): void {
    const quarter = Math.floor(atMs / GRANULARITY_MS.quarter);
    const { batch } = series;
    if (batch?.quarter !== quarter) {
      this.#unwritten++;
      series.batch = { series, quarter, firstId: id, lastId: id, firstMs: atMs, lastMs: atMs, figures: figures.slice() };
      this.#batches.push(series.batch);
      return;
    }
    addFigures(batch.figures, figures);
    batch.lastId = id;
    if (atMs < batch.firstMs) batch.firstMs = atMs;
    if (atMs > batch.lastMs) batch.lastMs = atMs;
  }

  #flushBatches(): void {
    for (const batch of this.#batches) {
      batch.series.batch = undefined;
      this.rollups.add(batch);
    }
    this.rollups.reach(this.#takenId);
    this.#batches = [];
    this.attributed.forgetMany();
    if (this.#unwritten < this.#pace.usesPerWrite || this.#due.length > 0) return;
    this.#unwritten = 0;
    this.#due = this.rollups.unwritten;
    this.#dueId = this.#takenId;
  }
}
