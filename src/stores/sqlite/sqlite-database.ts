import { closeSync, openSync } from "node:fs";
import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import { SqliteAdapter, SqliteDialect, type Compilable, type SqliteStatement } from "kysely";
import { StorageUnavailable, type StorageProblem } from "../../requests/storage-unavailable.ts";
import { Database, type Durability, type PreparedWrite, type RecordCache, type RecordKind } from "../database.ts";

/**
 * "Toll", in the header of the database: https://www.sqlite.org/fileformat2.html#application_id
 * Written once the ledger journal has a high-water mark.
 */
export const APPLICATION_ID = 0x546f6c6c;

/**
 * Busy timeout of platform changes, during which the event loop is blocked. 100 ms is longer than a short transaction of another process,
 * and too short to disturb responses in flight or a liveness probe.
 */
export const BRIEF_BUSY_TIMEOUT_MS = 100;

/**
 * The WAL may grow to 8,000 pages (32 MB) if `Checkpoint` cannot finish. Then SQLite checkpoints it itself, which blocks the event loop.
 */
const MAX_WAL_PAGES = 8000;

/**
 * Kysely assumes that SQLite cannot roll back DDL, and would migrate without a transaction. SQLite can, and it must: a migration that was
 * killed halfway may leave nothing behind, otherwise no later start could run it again.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class TransactionalSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** The embedded database. This process is its only writer, so the records that its stores have in memory are always current. */
export class SqliteDatabase extends Database {
  readonly #file: SqliteFile;
  #committed: ((file: SqliteFile) => void) | undefined;

  constructor(file: SqliteFile) {
    super({
      dialect: new TransactionalSqliteDialect({ database: { close: () => file.close(), prepare: (sql) => prepareStatement(file, sql) } }),
    });
    this.#file = file;
  }

  /** The transaction stays within one turn of the event loop: a longer one would lock out the ledger's writer, which never waits. */
  async write(...statements: readonly Compilable[]): Promise<void> {
    this.#writeInTurn(statements);
  }

  /** Everything from `make` to `apply` is one turn of the event loop: no record can change meanwhile. */
  async change<Made extends object | undefined>(
    _kind: RecordKind,
    _ids: readonly string[],
    make: () => Made,
    prepare: (made: NonNullable<Made>) => PreparedWrite,
  ): Promise<Made> {
    const made = make();
    if (!made) return made;
    const { statements, apply, applyUnwritten } = prepare(made);
    try {
      this.#writeInTurn(statements);
    } catch (error) {
      applyUnwritten?.();
      throw error;
    }
    apply();
    return made;
  }

  /** Does nothing, because no other process changes a record. */
  async refresh(): Promise<void> {}

  /** Reads the records once, because no other process changes a record. */
  cache(_kind: RecordKind, cache: RecordCache): Promise<void> {
    return cache.reload("all", this);
  }

  /** Sets how long a write waits for the lock of another process. The event loop is blocked meanwhile. */
  setBusyTimeout(ms: number): void {
    this.#file.run(`pragma busy_timeout = ${ms}`);
  }

  #writeInTurn(statements: readonly Compilable[]): void {
    const queries = statements.map((statement) => statement.compile());
    orUnavailable(() =>
      this.#file.transaction(() => {
        for (const { sql, parameters } of queries) this.#file.query(sql).run(...(parameters as SQLQueryBindings[]));
      })(),
    );
    this.#committed?.(this.#file);
  }

  /** Registers a function that is called after each commit of this database. */
  onCommit(committed: (file: SqliteFile) => void): void {
    this.#committed = committed;
  }

  /** Checkpoints the WAL into the database file, except for pages that a reader still needs in the WAL. The WAL file stays. */
  async checkpoint(): Promise<void> {
    this.#file.run("pragma wal_checkpoint(passive)");
  }
}

const NO_CHANGES = { changes: 0, lastInsertRowid: 0 };

function prepareStatement(file: SqliteFile, sql: string): SqliteStatement {
  const statement = orUnavailable(() => file.query<unknown, SQLQueryBindings[]>(sql));
  return {
    reader: statement.columnNames.length > 0,
    all: (parameters) => orUnavailable(() => statement.all(...(parameters as SQLQueryBindings[]))),
    // Some errors, such as a full disk, roll back the transaction by themselves. The error of a second rollback would hide them.
    run: (parameters) =>
      orUnavailable(() => (sql === "rollback" && !file.inTransaction ? NO_CHANGES : statement.run(...(parameters as SQLQueryBindings[])))),
    iterate: (parameters) => orUnavailable(() => statement.iterate(...(parameters as SQLQueryBindings[]))),
  };
}

/** The result codes of SQLite (https://www.sqlite.org/rescode.html) of errors that the request has not caused. */
const PROBLEMS: readonly [code: RegExp, problem: StorageProblem][] = [
  [/^SQLITE_FULL/, "full"],
  [/^SQLITE_(BUSY|LOCKED)/, "locked"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^SQLITE_(IOERR|CANTOPEN)/, "failing"],
];

/** Runs an operation on the database. Turns errors of the disk and of locks into `StorageUnavailable`. */
function orUnavailable<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const found = PROBLEMS.find(([pattern]) => pattern.test(code));
    throw found ? new StorageUnavailable(found[1], { cause: error }) : error;
  }
}

/** Opens the embedded database for the platform's queries, and creates it on first use. */
export function openSqlite(path: string): SqliteDatabase {
  // Readable only by its owner, whatever the mode of the folder is. SQLite gives its other files the same mode.
  closeSync(openSync(path, "a", 0o600));
  const file = new SqliteFile(path, { strict: true });
  // The busy timeout comes first: switching to WAL mode takes a lock, and would fail at once beside another process.
  file.run("pragma busy_timeout = 5000");
  file.run("pragma journal_mode = wal");
  file.run("pragma synchronous = full");
  file.run("pragma foreign_keys = on");
  file.run(`pragma wal_autocheckpoint = ${MAX_WAL_PAGES}`);
  return new SqliteDatabase(file);
}

/** Opens another connection for reading. In WAL mode readers and writers do not wait for each other. */
export function openSqliteReader(path: string): SqliteFile {
  return new SqliteFile(path, { strict: true, readonly: true });
}

/**
 * The busy timeout of a writer on the path of requests. Waiting blocks the event loop, so the timeout is short, and callers retry later. It
 * is not 0: a reader that opens the database while a commit writes the index of the WAL takes the write lock for a moment, to check whether
 * the index has to be recovered.
 */
export const WRITER_BUSY_TIMEOUT_MS = 5;

/** Opens another connection, for a writer on the path of requests. */
export function openSqliteWriter(path: string, durability: Durability): SqliteFile {
  const file = new SqliteFile(path, { strict: true });
  file.run(`pragma busy_timeout = ${WRITER_BUSY_TIMEOUT_MS}`);
  file.run(`pragma wal_autocheckpoint = ${MAX_WAL_PAGES}`);
  file.run(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
  return file;
}
