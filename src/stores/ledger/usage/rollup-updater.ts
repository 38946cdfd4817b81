import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { ERASED } from "../../../money/attribution.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import type { AttributionOverflows, UsageReport, UsageReportQuery } from "../ledger-record-store.ts";
import { dayOf, MAX_TAG_NAMES } from "./attributed-series.ts";
import { refuseIfLagging } from "./refuse-if-lagging.ts";
import { DEFAULT_NAMES_PER_DAY, SERIES_LIMITS, RollupBuilder, type SeriesLimits } from "./rollup-builder.ts";
import { Rollups, type Rollup } from "./rollups.ts";
import { ownerOf, type SeriesBook } from "./series.ts";
import { SqliteRollups } from "./sqlite-rollups.ts";
import { readUsageEvents, usageEventOf } from "./usage-event.ts";
import { UsageReader, type UsageState } from "./usage-reader.ts";

const CHECK_EVERY_MS = 1000;
/** Entries taken from memory at once, which takes less than a millisecond. */
const TAKEN_AT_ONCE = 512;
/** The number of batches before they are added to the rollups. Most usage belongs to a few series, so one batch has many events. */
const MAX_BATCHES = 2048;
/** The pause between two slices of catching up, so that requests get most of the CPU time. */
const PAUSE_MS = 5;

/** The size of a slice of work, which blocks the event loop for a few milliseconds. */
export interface Pace extends SeriesLimits {
  readonly entriesRead: number;
  readonly writeMs: number;
  /**
   * The number of events and batches before the rollups are written: after a crash this number of events is read again, and the batches are
   * in memory.
   */
  readonly usesPerWrite: number;
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
  ...SERIES_LIMITS,
  namesPerDay: DEFAULT_NAMES_PER_DAY,
  awaited: 200_000,
};

/**
 * Updates the rollups with new entries in the background. Entries that the ledger has just written come from memory; other entries, as
 * after a start, are read from the database.
 */
export class RollupUpdater {
  readonly #builder: RollupBuilder;
  readonly #books: readonly SeriesBook[];
  readonly #database: SqliteRollups;
  readonly #file: SqliteFile;
  readonly #pace: Pace;
  readonly #timer: Timer;
  #inbox: (readonly Entry[])[] = [];
  #inboxSize = 0;
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
    const { namesPerDay } = this.#pace;
    this.#database = new SqliteRollups(file, namesPerDay, () => this.#rollups);
    this.#builder = new RollupBuilder(this.#database, this.#pace, () => {
      this.#takenId = this.#database.readSharedWatermark();
      return new Rollups(this.#takenId, this.#database.readWatermarksAhead());
    });
    this.#books = [this.#builder.series, this.#builder.attributed.book];
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
  }

  get overflows(): AttributionOverflows {
    return this.#builder.attributed.overflows;
  }

  get #rollups(): Rollups {
    return this.#builder.rollups;
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

  /** The usage to read within `read`. */
  get state(): UsageState {
    return { reader: this.#database, pending: this.#rollups, attributed: this.#builder.attributed };
  }

  /** Makes a report. */
  report(query: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    return this.read(() => new UsageReader(this.state, query, signal).report());
  }

  /** The first tags of an account, by name, that have rollups on or after the day of a moment. */
  tagsOf(accountId: string, sinceMs: number): Promise<string[]> {
    return this.read(async () => this.#database.tagsSince(accountId, dayOf(sinceMs), MAX_TAG_NAMES));
  }

  /**
   * Erases names from the rollups, and returns the last entry that they include. All rollups are written first, so that no entry up to that
   * one is ever read again: under its new name it would be added to another series, and counted twice.
   */
  eraseNames(accountId: string, names: ErasedNames): Promise<number> {
    return this.read(async () => {
      let due = this.#rollups.unwritten;
      do {
        due = this.#write(due, this.#takenId);
        await nextTurn();
      } while (due.length > 0);
      [this.#due, this.#unwritten] = [[], 0];
      await this.#database.renameSeries(ownerOf("user", accountId), names.users, ERASED);
      await this.#database.renameSeries(ownerOf("conversation", accountId), names.conversations, ERASED);
      this.#builder.attributed.forget();
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
      for (let due = this.#rollups.unwritten; due.length > 0;) due = this.#write(due, this.#takenId);
    } catch {
      // Ignored: the next start reads the entries again.
    }
  }

  #rejectFarBehind(): void {
    if (this.#isLive) return;
    // On first use, this sets `#takenId` to the watermark of the previous process.
    void this.#rollups;
    const lastId = this.#lastId();
    if (lastId - this.#takenId > this.#pace.awaited) this.#check();
    refuseIfLagging(this.#takenId, lastId, this.#pace.awaited);
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
      if (this.#builder.batches >= MAX_BATCHES || this.#unwritten >= this.#pace.usesPerWrite) this.#flushBatches();
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
    this.#rollups.forgetWritten(this.#database);
  }

  /** Writes some of the due rollups. If none are due, reads some entries. */
  #advance(): void {
    if (this.#due.length > 0) this.#due = this.#write(this.#due, this.#dueId);
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
    if (use) this.#unwritten += 1 + this.#builder.add(use);
    this.#takenId = entry.id;
  }

  #readOn(): void {
    const rollups = this.#rollups;
    const lastId = this.#lastId();
    const endId = Math.min(lastId, this.#takenId + this.#pace.entriesRead);
    // A rollup includes a batch as a whole or not at all, so a batch ends at the watermark of each rollup that is ahead.
    const ends = rollups.endsAhead.filter((id) => id > this.#takenId && id < endId);
    for (const toId of [...new Set(ends)].toSorted((one, other) => one - other).concat(endId)) {
      for (const use of readUsageEvents(this.#file, this.#takenId, toId)) {
        this.#unwritten += 1 + this.#builder.add(use);
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

  #flushBatches(): void {
    this.#builder.flush(this.#takenId);
    if (this.#unwritten < this.#pace.usesPerWrite || this.#due.length > 0) return;
    this.#unwritten = 0;
    this.#due = this.#rollups.unwritten;
    this.#dueId = this.#takenId;
  }

  #write(due: readonly Rollup[], toId: number): readonly Rollup[] {
    return this.#rollups.write(this.#database, this.#books, due, toId, this.#pace.writeMs);
  }
}
