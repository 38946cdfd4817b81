import { closeSync, openSync, statSync } from "node:fs";
import { Database as SqliteFile, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { ReadyBodies } from "../bodies/body-writer.ts";
import { firstRowAt } from "../log-day.ts";
import { NameFilter } from "../name-filter.ts";
import { chunkOf, CHUNK_ROWS, FIELD_NAMES, toRow, uuidOf } from "../request-rows.ts";
import { DaySums, SUM_TABLES } from "./day-sums.ts";
import { DAY_TABLES, INSERT } from "./day-tables.ts";
import type { PendingSums } from "../statistics/pending-sums.ts";

/** In pages. A checkpoint waits for the disk: frequent short ones block the event loop less than rare long ones. */
const CHECKPOINT_PAGES = 250;

/** A day file, open for writing. Its busy timeout is 0, because a wait for a lock would block the event loop. */
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
  readonly #saveNames: Statement<unknown, SQLQueryBindings[]>;
  readonly #sums: DaySums;
  #nextRow: number | undefined;
  #chunk = -1;
  /** The values of the chunk that are in `found`. */
  #found: readonly Set<string | number>[] = [];
  #last: (string | number)[] = [];
  /** The name filter of the chunk; undefined if other rows of the chunk were written before. */
  #names: NameFilter | undefined;

  constructor(day: string, path: string) {
    this.day = day;
    this.#path = path;
    // Readable only by its owner; SQLite gives its other files the same mode. An existing file is not opened here: by POSIX, closing any
    // descriptor of a file drops all locks of the process on it, including a reader's locks.
    if (inodeOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
    this.#inode = inodeOf(path)!;
    this.#file = openForWriting(path);
    try {
      // In one transaction with the statements that fail on foreign tables: another program's database must not be changed.
      this.#file.run("begin immediate");
      for (const table of [...DAY_TABLES, ...SUM_TABLES]) this.#file.run(table);
      // `query`, not `prepare`: closing the file finalizes its statements, while a prepared statement would keep the file open.
      this.#begin = this.#file.query("begin immediate");
      this.#commit = this.#file.query("commit");
      this.#insert = this.#file.query(INSERT);
      this.#find = this.#file.query("insert or ignore into found values (?, ?, ?)");
      this.#span = this.#file.query(
        `insert into chunks values (?, ?, ?, unhex(?, '-'), unhex(?, '-')) on conflict (chunk) do update set
          from_ms = min(from_ms, excluded.from_ms), to_ms = max(to_ms, excluded.to_ms),
          first_id = min(first_id, excluded.first_id), last_id = max(last_id, excluded.last_id)`,
      );
      // If a name was erased meanwhile, the chunk already has a row.
      this.#saveNames = this.#file.query("insert or ignore into names values (?, ?)");
      const last = this.#file.query<{ row: number | null }, []>("select max(row) as row from requests").get()?.row;
      this.#nextRow = last == null ? undefined : last + 1;
      this.#sums = new DaySums(this.#file, this.#nextRow);
      this.#commit.run();
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Whether the file was removed or replaced: writes to it would be lost. */
  get isGone(): boolean {
    return inodeOf(this.#path) !== this.#inode;
  }

  /** The sums of rows that are in no stored sum; undefined while other such rows exist. */
  get pendingSums(): PendingSums | undefined {
    return this.#sums.pending;
  }

  /**
   * The requests that are not in the file yet: a commit may report an error and still be durable, and more requests may have arrived since.
   */
  unwritten<T extends { readonly requestId: string }>(requests: readonly T[]): readonly T[] {
    const last = this.#file.query<{ id: string }, []>("select lower(hex(id)) as id from requests order by row desc limit 1").get()?.id;
    return requests.slice(requests.findIndex(({ requestId }) => uuidOf(requestId)!.replaceAll("-", "") === last) + 1);
  }

  /** Writes all requests, or throws. After an error the writer must be closed. */
  write(requests: readonly LoggedRequest[]): void {
    if (requests.length === 0) return;
    let row = this.#nextRow ?? firstRowAt(requests[0]!.endedAtMs);
    const areSumsDue = this.#sums.isDue(requests);
    this.#transact(() => {
      if (areSumsDue) this.#sums.write(row);
      for (let at = 0; at < requests.length;) {
        const chunk = chunkOf(row);
        const part = requests.slice(at, at + (chunk + 1) * CHUNK_ROWS - row);
        this.#writePart(chunk, row, part);
        at += part.length;
        row += part.length;
      }
    });
    this.#nextRow = row;
    if (areSumsDue) this.#sums.clear();
    this.#sums.add(requests);
    // Adds rows without sums soon after a crash, not only when statistics are read.
    this.backfill();
  }

  /** Backfill: adds a batch of the rows that are in no stored sum to the sums, if there are any. */
  backfill(): void {
    if (this.#sums.pending) return;
    let isAll = false;
    this.#transact(() => (isAll = this.#sums.backfill()));
    if (isAll) this.#sums.clear();
  }

  /** Writes bodies. Idempotent: a commit may report an error and still be durable. */
  writeBodies(ready: readonly ReadyBodies[]): void {
    const insert = this.#file.query("insert or ignore into bodies values (unhex(?, '-'), ?, ?, ?)");
    this.#transact(() => {
      for (const { requestId, bodies } of ready) insert.run(uuidOf(requestId)!, bodies.request, bodies.reply, bodies.isCut ? 1 : 0);
    });
  }

  /** Writes the results of mirrored requests. Idempotent, too. */
  writeMirrors(results: readonly MirrorResult[]): void {
    const insert = this.#file.query("insert or ignore into mirrors values (unhex(?, '-'), ?, ?)");
    this.#transact(() => {
      for (const result of results) insert.run(uuidOf(result.requestId)!, result.model, JSON.stringify(result));
    });
  }

  close(): void {
    this.#writeSums();
    this.#file.close();
  }

  /** Writes pending sums. If that fails, the next start backfills them. */
  #writeSums(): void {
    if (!this.#sums.pending?.size) return;
    try {
      this.#transact(() => this.#sums.write(this.#nextRow!));
    } catch {
      this.#sums.forget();
    }
  }

  /** Writes the requests of one chunk, and updates the index of the chunk. */
  #writePart(chunk: number, firstRow: number, part: readonly LoggedRequest[]): void {
    let fromMs = Infinity;
    let toMs = -Infinity;
    let { requestId: firstId, requestId: lastId } = part[0]!;
    let row = firstRow;
    if (chunk !== this.#chunk) this.#beginChunk(chunk, firstRow);
    for (const request of part) {
      const { endedAtMs, requestId, attribution } = request;
      this.#insert.run(...toRow(row++, request));
      this.#indexValues(chunk, request);
      if (attribution) this.#names?.add(attribution);
      if (endedAtMs < fromMs) fromMs = endedAtMs;
      if (endedAtMs > toMs) toMs = endedAtMs;
      if (requestId < firstId) firstId = requestId;
      if (requestId > lastId) lastId = requestId;
    }
    this.#span.run(chunk, fromMs, toMs, uuidOf(firstId)!, uuidOf(lastId)!);
  }

  /** Writes the names of the previous chunk, which is complete. */
  #beginChunk(chunk: number, firstRow: number): void {
    if (this.#names) this.#saveNames.run(this.#chunk, this.#names.bytes);
    this.#chunk = chunk;
    this.#found = FIELD_NAMES.map(() => new Set());
    this.#last = [];
    this.#names = firstRow % CHUNK_ROWS === 0 ? new NameFilter() : undefined;
  }

  #indexValues(chunk: number, request: LoggedRequest): void {
    for (let at = 0; at < FIELD_NAMES.length; at++) {
      const value = request[FIELD_NAMES[at]!];
      // Most values equal the values of the previous row.
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
      // Some errors roll back the transaction by themselves; a second rollback would throw.
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
