import { closeSync, openSync, statSync } from "node:fs";
import { Database as SqliteFile, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { ReadyBodies } from "../bodies/body-writer.ts";
import { CHUNK_ROWS, FIELD_NAMES, INSERT, TABLES, toRow, uuidOf } from "./request-table.ts";
import { DaySums } from "../statistics/day-sums.ts";
import type { PendingSums } from "../statistics/pending-sums.ts";
import { SUM_TABLES } from "../statistics/sum-table.ts";
import { upgradeDay } from "./upgrade-day.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** More than are written in a millisecond. */
const ROWS_A_MS = 100;
/** In pages. Taking the log over into the file waits for the disk: rather often and little than seldom and long. */
const CHECKPOINT_PAGES = 250;

/** The file of a day, open to be written. It never waits for a lock, because everything in the process would wait with it. */
export class DayWriter {
  readonly day: string;
  readonly #path: string;
  readonly #file: SqliteFile;
  readonly #inode: bigint;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #insert: Statement<unknown, SQLQueryBindings[]>;
  readonly #find: Statement<unknown, SQLQueryBindings[]>;
  readonly #span: Statement<unknown, SQLQueryBindings[]>;
  readonly #sums: DaySums;
  #nextRow: number | undefined;
  #chunk = -1;
  /** The values that the chunk is known to have. */
  #found: readonly Set<string | number>[] = [];
  #last: (string | number)[] = [];

  constructor(day: string, path: string) {
    this.day = day;
    this.#path = path;
    // Made for its owner alone. SQLite's other files take this mode too. One that is there is left alone: by POSIX, to close any
    // descriptor of a file drops all locks of the process on it, those of a reader too.
    if (inodeOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
    this.#inode = inodeOf(path)!;
    this.#file = openForWriting(path);
    try {
      // In one transaction with what finds out whether they are ours: of somebody else's database nothing must be changed.
      this.#file.run("begin immediate");
      upgradeDay(this.#file);
      for (const table of [...TABLES, ...SUM_TABLES]) this.#file.run(table);
      // By `query`: these end with the file, which one that was prepared by hand would keep open.
      this.#begin = this.#file.query("begin immediate");
      this.#commit = this.#file.query("commit");
      this.#insert = this.#file.query(INSERT);
      this.#find = this.#file.query("insert or ignore into found values (?, ?, ?)");
      this.#span = this.#file.query(
        `insert into chunks values (?, ?, ?, unhex(?, '-'), unhex(?, '-')) on conflict (chunk) do update set
          from_ms = min(from_ms, excluded.from_ms), to_ms = max(to_ms, excluded.to_ms),
          first_id = min(first_id, excluded.first_id), last_id = max(last_id, excluded.last_id)`,
      );
      const last = this.#file.query<{ row: number | null }, []>("select max(row) as row from requests").get()?.row;
      this.#nextRow = last == null ? undefined : last + 1;
      this.#sums = new DaySums(this.#file, this.#nextRow);
      this.#commit.run();
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Whether the file has been removed, or another put in its place: what is written would be lost with it. */
  get isGone(): boolean {
    return inodeOf(this.#path) !== this.#inode;
  }

  /** The sums of what is written and in no sum of the file; undefined while there is more of that. */
  get pendingSums(): PendingSums | undefined {
    return this.#sums.pending;
  }

  /** Those of some requests that are not there yet: a commit may fail and be there all the same, and more have come since. */
  unwritten<T extends { readonly requestId: string }>(requests: readonly T[]): readonly T[] {
    const last = this.#file.query<{ id: string }, []>("select lower(hex(id)) as id from requests order by row desc limit 1").get()?.id;
    return requests.slice(requests.findIndex(({ requestId }) => uuidOf(requestId)!.replaceAll("-", "") === last) + 1);
  }

  /** Writes all of them or throws, after which this can be of no more use. */
  write(requests: readonly LoggedRequest[]): void {
    if (requests.length === 0) return;
    // A file that was begun anew, because the one before was lost, goes on behind it: places that were given out stay in order.
    let row = this.#nextRow ?? (requests[0]!.endedAtMs % DAY_MS) * ROWS_A_MS;
    const areSumsDue = this.#sums.isDue(requests);
    this.#transact(() => {
      if (areSumsDue) this.#sums.write(row);
      for (let at = 0; at < requests.length;) {
        const chunk = Math.floor(row / CHUNK_ROWS);
        const part = requests.slice(at, at + (chunk + 1) * CHUNK_ROWS - row);
        this.#writePart(chunk, row, part);
        at += part.length;
        row += part.length;
      }
    });
    this.#nextRow = row;
    if (areSumsDue) this.#sums.clear();
    this.#sums.add(requests);
    // What a crash has left, soon and not only when somebody asks.
    this.backfill();
  }

  /** Adds up some of the rows that are in no sum yet, where there are any. */
  backfill(): void {
    if (this.#sums.pending) return;
    let isAll = false;
    this.#transact(() => (isAll = this.#sums.backfill()));
    if (isAll) this.#sums.clear();
  }

  /** The same again does no harm: a commit may fail and be there all the same. */
  writeBodies(ready: readonly ReadyBodies[]): void {
    const insert = this.#file.query("insert or ignore into bodies values (unhex(?, '-'), ?, ?, ?)");
    this.#transact(() => {
      for (const { requestId, bodies } of ready) insert.run(uuidOf(requestId)!, bodies.request, bodies.reply, bodies.isCut ? 1 : 0);
    });
  }

  close(): void {
    this.#writeSums();
    this.#file.close();
  }

  /** So that nothing is to be added up at the next start; where it cannot be done, that is done then. */
  #writeSums(): void {
    if (!this.#sums.pending?.size) return;
    try {
      this.#transact(() => this.#sums.write(this.#nextRow!));
    } catch {
      this.#sums.forget();
    }
  }

  /** Writes what is of one chunk, and what the chunk has by it. */
  #writePart(chunk: number, firstRow: number, part: readonly LoggedRequest[]): void {
    let fromMs = Infinity;
    let toMs = -Infinity;
    let { requestId: firstId, requestId: lastId } = part[0]!;
    let row = firstRow;
    for (const request of part) {
      const { endedAtMs, requestId } = request;
      this.#insert.run(...toRow(row++, request));
      this.#note(chunk, request);
      if (endedAtMs < fromMs) fromMs = endedAtMs;
      if (endedAtMs > toMs) toMs = endedAtMs;
      if (requestId < firstId) firstId = requestId;
      if (requestId > lastId) lastId = requestId;
    }
    this.#span.run(chunk, fromMs, toMs, uuidOf(firstId)!, uuidOf(lastId)!);
  }

  #note(chunk: number, request: LoggedRequest): void {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk;
      this.#found = FIELD_NAMES.map(() => new Set());
      this.#last = [];
    }
    for (let at = 0; at < FIELD_NAMES.length; at++) {
      const value = request[FIELD_NAMES[at]!];
      // Most are what they were in the row before.
      if (value === null || value === this.#last[at]) continue;
      this.#last[at] = value;
      const known = this.#found[at]!;
      if (known.has(value)) continue;
      known.add(value);
      this.#find.run(FIELD_NAMES[at]!, value, chunk);
    }
  }

  #transact(write: () => void): void {
    try {
      this.#begin.run();
      write();
      this.#commit.run();
    } catch (error) {
      this.#sums.forget();
      // Some errors end the transaction by themselves; rolling back then is an error that means nothing.
      if (this.#file.inTransaction) this.#file.run("rollback");
      throw error;
    }
  }
}

function openForWriting(path: string): SqliteFile {
  const file = new SqliteFile(path, { strict: true });
  try {
    file.run("pragma busy_timeout = 0");
    file.run("pragma journal_mode = wal");
    file.run("pragma synchronous = normal");
    file.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
