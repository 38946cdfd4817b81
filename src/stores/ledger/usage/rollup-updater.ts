import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { addFigures } from "./figures.ts";
import { GRANULARITY_MS } from "./granularity.ts";
import type { Rollup } from "./rollup.ts";
import { Rollups } from "./rollups.ts";
import { SeriesBook, type UsageBatch } from "./series.ts";
import { readUsageEvents, usageEventOf, type UsageEvent } from "./usage-event.ts";

const LOOK_EVERY_MS = 1000;
/** Entries that are taken from memory at once: less than a millisecond. */
const TAKEN_AT_ONCE = 512;
/** Sums that are gathered before the rollups are told. Most uses are of a few series, and then it is one sum for many. */
const MAX_BATCHES = 512;
/** Between two turns of catching up, so that requests have most of the process. */
const PAUSE_MS = 5;

/** How much is done at a time. Nothing else can run meanwhile, so it is a few milliseconds' worth. */
export interface Pace {
  readonly entriesRead: number;
  readonly writeMs: number;
  /** Uses that are counted before the rollups are written. After a crash as many are read again. */
  readonly usesPerWrite: number;
  /** Series of an account in one row, which is read and written as a whole. An account may have very many keys. */
  readonly seriesInRow: number;
  /** Entries that a report waits for. They are read in a second or two; for more of them its caller is to come again. */
  readonly awaited: number;
}

const PACE: Pace = { entriesRead: 1000, writeMs: 3, usesPerWrite: 16_384, seriesInRow: 256, awaited: 200_000 };
const RETRY_AFTER_SECONDS = 5;

/**
 * Keeps the rollups up with the entries, in the background. What the ledger has just written is taken from memory; where that is
 * not all, as after a start, the entries are read.
 */
export class RollupUpdater {
  readonly series: SeriesBook;
  #rollups: Rollups | undefined;
  readonly #file: SqliteFile;
  readonly #pace: Pace;
  readonly #timer: Timer;
  #inbox: (readonly Entry[])[] = [];
  #inboxSize = 0;
  #batches: UsageBatch[] = [];
  /** Uses that are not in the database yet. */
  #unwritten = 0;
  /** Rollups that are to be written, and up to which entry each counts at least. */
  #due: readonly Rollup[] = [];
  #dueId = 0;
  /** The entry up to which all were taken. */
  #takenId = 0;
  /** Whether those behind it will all come through the inbox. */
  #isLive = false;
  #isScheduled = false;
  #isRead = false;
  #isClosed = false;

  constructor(file: SqliteFile, pace = PACE) {
    this.#file = file;
    this.series = new SeriesBook(file, pace.seriesInRow);
    this.#pace = pace;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Made when they are first needed: a start has better things to do. */
  get rollups(): Rollups {
    if (this.#rollups) return this.#rollups;
    this.#rollups = new Rollups(this.#file, this.series);
    this.#takenId = this.#rollups.storedId;
    return this.#rollups;
  }

  /** Hears of entries that are in the database now. They are only put aside: this is on the path of requests. */
  note(entries: readonly Entry[]): void {
    if (!this.#isLive) return;
    this.#inbox.push(entries);
    this.#inboxSize += entries.length;
    if (this.#inboxSize >= TAKEN_AT_ONCE) this.#schedule();
  }

  /**
   * Reads the rollups when all that is in the database is in them. Meanwhile nothing is taken in and nothing is written, so that
   * all of it is of one moment. One at a time. Throws where more is to be taken in than fits into memory, and none can be written;
   * and where it is so much that nobody would wait for it, as after an upgrade of a large ledger.
   */
  async read<Result>(report: () => Promise<Result>): Promise<Result> {
    this.#refuseFarBehind();
    await this.#catchUp();
    this.#isRead = true;
    try {
      return await report();
    } finally {
      this.#isRead = false;
      this.#look();
    }
  }

  /** Writes what there is, for the next start to go on from. */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    if (!this.#isLive) return;
    try {
      this.#takeNoted();
      this.#flushBatches();
      for (let due = this.rollups.unwritten; due.length > 0;) due = this.rollups.write(due, this.#takenId, this.#pace.writeMs);
    } catch {
      // The next start adds it up again.
    }
  }

  #refuseFarBehind(): void {
    if (this.#isLive) return;
    // What the one before this start has taken is only known when they are made.
    const takenId = Math.max(this.rollups.storedId, this.#takenId);
    const lastId = this.#lastId();
    if (lastId - takenId <= this.#pace.awaited) return;
    this.#look();
    const percent = Math.floor((100 * takenId) / lastId);
    const message = `Usage is still being added up: ${percent} % of the ledger so far. Please try again in ${RETRY_AFTER_SECONDS}s.`;
    throw new GatewayError("overloaded", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #look(): void {
    if (!this.#isLive || this.#inboxSize > 0 || this.#due.length > 0) this.#schedule();
  }

  /** There is never more than one step to come, so that its pauses are kept. */
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

  /** One turn's work. */
  #step(): void {
    if (this.#isRead || this.#isClosed) return;
    try {
      this.#takeNoted();
      if (this.#batches.length >= MAX_BATCHES || this.#unwritten >= this.#pace.usesPerWrite) this.#flushBatches();
      this.#advance();
    } catch {
      // It is tried again at the next look.
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

  /** Writes some of the rollups that are due, or else reads some entries. */
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
      // The database could not be asked. What was not taken is read from the entries.
      this.#isLive = false;
      throw error;
    }
  }

  #take(entry: Entry): void {
    if (entry.id <= this.#takenId) return;
    const use = usageEventOf(entry);
    if (use) this.#batch(use);
    this.#takenId = entry.id;
  }

  #readOn(): void {
    const { rollups } = this;
    const lastId = this.#lastId();
    const endId = Math.min(lastId, this.#takenId + this.#pace.entriesRead);
    // What is gathered is counted by a rollup as a whole or not at all, so it ends where one of them had ended.
    const ends = rollups.endsAhead.filter((id) => id > this.#takenId && id < endId);
    for (const toId of [...new Set(ends)].toSorted((one, other) => one - other).concat(endId)) {
      for (const use of readUsageEvents(this.#file, this.#takenId, toId)) {
        this.#batch(use);
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

  #batch(use: UsageEvent): void {
    const { id, atMs, figures } = use;
    const series = this.series.find(use);
    const quarter = Math.floor(atMs / GRANULARITY_MS.quarter);
    const { gathered } = series;
    this.#unwritten++;
    if (gathered?.quarter !== quarter) {
      series.gathered = { series, quarter, firstId: id, lastId: id, firstMs: atMs, lastMs: atMs, figures: figures.slice() };
      this.#batches.push(series.gathered);
      return;
    }
    addFigures(gathered.figures, figures);
    gathered.lastId = id;
    if (atMs < gathered.firstMs) gathered.firstMs = atMs;
    if (atMs > gathered.lastMs) gathered.lastMs = atMs;
  }

  #flushBatches(): void {
    for (const gathered of this.#batches) {
      gathered.series.gathered = undefined;
      this.rollups.add(gathered);
    }
    this.rollups.reach(this.#takenId);
    this.#batches = [];
    if (this.#unwritten < this.#pace.usesPerWrite || this.#due.length > 0) return;
    this.#unwritten = 0;
    this.#due = this.rollups.unwritten;
    this.#dueId = this.#takenId;
  }
}
