import { closeSync, openSync, readSync } from "node:fs";
import { constants, Database as SqliteFile } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { APPLICATION_ID } from "../sqlite/sqlite-database.ts";
import { sizeOf } from "./folder-files.ts";
import type { WalContent } from "./read-wal.ts";

/** Busy timeout for the case that another process has locked the database even for readers. */
const TIMEOUT_MS = 5000;

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** The last records in a database, in the ledger and in the audit log, with their times. */
export interface LastRecords {
  readonly entryId: number;
  readonly entryAtMs: number | undefined;
  readonly changeId: number;
  readonly changeAtMs: number | undefined;
  /** Whether a ledger journal was created for this database. */
  readonly hasJournal: boolean;
}

/** The damage of the database file that its header and length show. */
export function problemOfDatabase(path: string, wal: WalContent): string | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openSync(path, "r");
  const bytes = readSync(fd, header, 0, HEADER_BYTES, 0);
  closeSync(fd);
  if (bytes < HEADER_BYTES) return `it ends at byte ${bytes}`;
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a SQLite database";
  // 65,536 does not fit into two bytes, so SQLite writes it as 1.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = wal.databasePages || header.readUInt32BE(28);
  const missing = firstMissingPage(Math.floor(sizeOf(path) / pageBytes), pages, wal);
  return missing === undefined ? undefined : `it ends at byte ${sizeOf(path)}, before page ${missing} of ${pages}`;
}

/** Pages beyond the end of the file may still be in the WAL. */
function firstMissingPage(pagesInFile: number, pages: number, wal: WalContent): number | undefined {
  for (let page = pagesInFile + 1; page <= pages; page++) if (!wal.pages.has(page)) return page;
  return undefined;
}

/** The database read in one of two ways: with the commits of the WAL, or in the state that the last checkpoint left in the file. */
export interface DatabaseReading {
  readonly ignoresWal: boolean;
  readonly last: LastRecords;
}

/**
 * The possible reading with the latest records. If the WAL is damaged, its valid part may be older than the file, into which a checkpoint
 * may have copied later commits. `isThorough` checks every page. Throws the error of SQLite if no reading is possible.
 */
export function readLastRecords(path: string, wal: WalContent, isThorough: boolean): DatabaseReading {
  const whole = attempt(() => ({ ignoresWal: false, last: lastRecordsIn(path, false, isThorough) }));
  const alone = wal.damage === undefined ? whole : attempt(() => ({ ignoresWal: true, last: lastRecordsIn(path, true, isThorough) }));
  if (whole instanceof Error && (alone instanceof Error || !isCorruption(whole))) throw whole;
  if (whole instanceof Error) return alone as DatabaseReading;
  return alone instanceof Error || alone.last.entryId <= whole.last.entryId ? whole : alone;
}

/**
 * Lets SQLite roll back a transaction that was killed before the database was in WAL mode. A read-only connection cannot do this, and
 * fails.
 */
export function rollBack(path: string): void {
  if (sizeOf(path) === 0) return;
  const file = new SqliteFile(path, { readwrite: true, create: false });
  try {
    file.run(`pragma busy_timeout = ${TIMEOUT_MS}`);
    file.query("select 1 from sqlite_schema").get();
  } finally {
    file.close();
  }
}

/** Whether an error of SQLite means a damaged file, and not a lock, missing permissions or a full disk. */
export function isCorruption(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB|IOERR_(SHORT_)?READ)/.test(String(error.code));
}

function attempt(read: () => DatabaseReading): DatabaseReading | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function lastRecordsIn(path: string, ignoresWal: boolean, isThorough: boolean): LastRecords {
  const file = ignoresWal ? openWithoutWal(path) : new SqliteFile(path, { readonly: true });
  try {
    file.run(`pragma busy_timeout = ${TIMEOUT_MS}`);
    if (isThorough) checkPages(file);
    const entry = lastOf(file, "entries");
    const change = lastOf(file, "changes");
    return {
      entryId: entry?.id ?? 0,
      entryAtMs: entry?.at_ms,
      changeId: change?.id ?? 0,
      changeAtMs: change?.at_ms,
      hasJournal: applicationIdOf(file) === APPLICATION_ID,
    };
  } finally {
    file.close();
  }
}

/**
 * Opens only the database file, without its WAL and without locks: nothing is written. Read-only, because closing the last writable
 * connection would checkpoint the WAL and remove it. In a backup file, other files follow the last page of the database.
 */
export function openWithoutWal(path: string): SqliteFile {
  return new SqliteFile(`${pathToFileURL(path).href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

function applicationIdOf(file: SqliteFile): number | undefined {
  return file.query<{ application_id: number }, []>("pragma application_id").get()?.application_id;
}

function checkPages(file: SqliteFile): void {
  const [first] = file.query<{ integrity_check: string }, []>("pragma integrity_check(1)").all();
  if (first?.integrity_check !== "ok") throw Object.assign(new Error(first?.integrity_check), { code: "SQLITE_CORRUPT" });
}

/** The last row. A first start that was killed may have left no tables. */
function lastOf(file: SqliteFile, table: "entries" | "changes"): { id: number; at_ms: number } | undefined {
  const exists = file.query("select 1 from sqlite_schema where name = ?").get(table) !== null;
  if (!exists) return undefined;
  return file.query<{ id: number; at_ms: number }, []>(`select id, at_ms from ${table} order by id desc limit 1`).get() ?? undefined;
}
