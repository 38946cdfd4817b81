import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import { writeAttribution } from "../../../money/attribution.ts";
import { unavailable, type LogDatabase } from "../log-database.ts";
import { SQLITE } from "../log-dialect.ts";
import type { ErasedRequest } from "../request-log-store.ts";
import { chunkOf, uuidOf } from "../request-rows.ts";
import type { Intervals } from "../statistics/intervals.ts";
import type { CurrentDay } from "./current-day.ts";
import { hasForeignSchema, isCorruption } from "./day-errors.ts";
import { addStoredSums, areSumsComplete } from "./day-sums.ts";
import type { LogFolder } from "./log-folder.ts";

/** Enough for a month, so that repeated reads of a month do not open the files each time: opening takes longer than reading. */
const MAX_OPEN = 32;
const IDLE_MS = 30_000;

interface OpenFile {
  readonly file: SqliteFile;
  usedAt: number;
}

/**
 * The day files for reading. They may be removed, replaced or damaged at any time, so each turn of the event loop opens a file again, or
 * takes it from the open ones. Few chunks are read in a turn; requests are served between two turns.
 */
export class DayFiles implements LogDatabase {
  readonly dialect = SQLITE;
  readonly chunksAtOnce = 1;
  readonly #folder: LogFolder;
  readonly #current: CurrentDay;
  /** The most recently used is last. */
  readonly #open = new Map<string, OpenFile>();
  /** Long reads take turns: all of them together read one slice in each turn of the event loop, and then requests are served. */
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(folder: LogFolder, current: CurrentDay) {
    this.#folder = folder;
    this.#current = current;
  }

  async days(): Promise<readonly string[]> {
    try {
      return this.#folder.days();
    } catch (error) {
      throw unavailable(error);
    }
  }

  async oldestDay(): Promise<string | undefined> {
    return (await this.days())[0];
  }

  async query<Row>(day: string, sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    await this.#nextTurn();
    return this.#read(day, (file) => file.query<Row, SQLQueryBindings[]>(sql).all(...(parameters as SQLQueryBindings[]))) ?? [];
  }

  async addSums(day: string, intervals: Intervals): Promise<void> {
    do await this.#nextTurn();
    while (this.#read(day, (file) => this.#addSums(file, day, intervals)) === false);
  }

  /** The only change that a reader makes. It is made within one turn of the event loop, so that the writer of the day does not run meanwhile. */
  async erase(day: string, erased: readonly ErasedRequest[]): Promise<void> {
    await this.#nextTurn();
    this.#read(day, (file) => {
      file.run("pragma query_only = off");
      try {
        // Deleted text is overwritten.
        file.run("pragma secure_delete = on");
        file.transaction(() => eraseIn(file, erased)).immediate();
      } finally {
        file.run("pragma query_only = on");
      }
    });
  }

  close(day: string): void {
    const open = this.#open.get(day);
    if (!open) return;
    this.#open.delete(day);
    open.file.run("pragma query_only = off");
    open.file.close();
  }

  closeIdle(): void {
    for (const [day, { usedAt }] of this.#open) if (performance.now() - usedAt > IDLE_MS) this.close(day);
  }

  closeAll(): void {
    for (const day of this.#open.keys()) this.close(day);
  }

  /**
   * Adds the sums of a day in one turn of the event loop, so that nothing is written meanwhile. Returns false if the sums of the day are
   * incomplete: then one slice of them is backfilled.
   */
  #addSums(file: SqliteFile, day: string, intervals: Intervals): boolean {
    const pending = this.#current.pendingSums(day);
    if (!pending && !areSumsComplete(file)) {
      this.#current.backfill(day);
      return false;
    }
    addStoredSums(file, intervals);
    if (pending) intervals.addPending(pending);
    return true;
  }

  /** Reads from one day, in one turn of the event loop. Undefined if the file is missing or damaged. */
  #read<T>(day: string, read: (file: SqliteFile) => T): T | undefined {
    try {
      const file = this.#fileOf(day);
      return file && read(file);
    } catch (error) {
      this.close(day);
      if (hasForeignSchema(error)) return undefined;
      if (!isCorruption(error)) throw unavailable(error);
      this.#current.quarantine(day);
      return undefined;
    }
  }

  #fileOf(day: string): SqliteFile | undefined {
    const path = this.#folder.fileOf(day);
    if (!existsSync(path)) {
      this.close(day);
      return undefined;
    }
    const file = this.#open.get(day)?.file ?? openForReading(path);
    this.#open.delete(day);
    this.#open.set(day, { file, usedAt: performance.now() });
    if (this.#open.size > MAX_OPEN) this.close(this.#open.keys().next().value!);
    return file;
  }

  /** Resolves in a later turn of the event loop, when it is the caller's turn. */
  #nextTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => nextTurn());
    return this.#lastTurn;
  }
}

function openForReading(path: string): SqliteFile {
  // Not `readonly`: the last connection to close checkpoints the WAL, and a read-only connection cannot do that.
  const file = new SqliteFile(path, { readwrite: true, create: false, strict: true });
  try {
    file.run("pragma busy_timeout = 0");
    file.run("pragma query_only = on");
    // In KiB. Small, because many files may be open, and most pages are read once.
    file.run("pragma cache_size = -1000");
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function eraseIn(file: SqliteFile, erased: readonly ErasedRequest[]): void {
  const update = file.query("update requests set attribution = ? where row = ?");
  const readAll = file.query("insert or replace into names values (?, null)");
  const drop = file.query("delete from bodies where id = unhex(?, '-')");
  for (const chunk of new Set(erased.map(({ position }) => chunkOf(position.row)))) readAll.run(chunk);
  for (const { position, request, attribution, deletesBodies } of erased) {
    update.run(writeAttribution(attribution), position.row);
    if (deletesBodies) drop.run(uuidOf(request.requestId)!);
  }
}
