import { Database as SqliteFile, type Statement } from "bun:sqlite";
import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/stores/sqlite/sqlite-database.ts";
import { migrate } from "../../src/stores/migrations/migrate.ts";

/**
 * The fate of one attempt at a transaction. It cannot start because another process has locked the database; the disk is full at the second
 * entry, or at the commit; the commit fails; it fails and SQLite has already rolled back; or, the worst case, it is reported as failed
 * although it was durable (`kept`).
 */
export type Fault = "locked" | "full" | "fails" | "rolled back" | "kept";

const LEDGER_TABLES = [
  "entries",
  "tallies",
  "tallied",
  "progress",
  "answers",
  "prices",
  "usage_series",
  "usage_sums",
  "usage_rolled",
  "attribution_days",
  "attribution_series",
  "attribution_sums",
  "attribution_tag_days",
];

/** An embedded database with fault injection. It implements only the methods that a ledger uses. */
export class FaultyFile {
  readonly inner: SqliteFile;
  /** The faults of the next attempts of the group commit, each used once. */
  readonly faults: Fault[] = [];
  /** The fault of the next other transaction, which writes the tallies or the progress. */
  faultBeside: "fails" | "undone" | "kept" | undefined;
  readonly #statements = new Map<string, unknown>();
  #fault: Fault | undefined;
  #inserted = 0;

  constructor(inner: SqliteFile) {
    this.inner = inner;
  }

  /** The file with the type of the real one. */
  get asFile(): SqliteFile {
    return this as unknown as SqliteFile;
  }

  get inTransaction(): boolean {
    return this.inner.inTransaction;
  }

  /** Statements are shared, because histories open a ledger often. */
  prepare(sql: string): unknown {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#wrap(sql)));
    return statement;
  }

  query(sql: string): unknown {
    return this.prepare(sql);
  }

  run(sql: string): void {
    (this.prepare(sql) as Statement).run();
  }

  transaction(inside: () => void): (() => void) & { immediate: () => void } {
    const run = (): void => {
      if (this.faultBeside === "fails") throw new Error("SQLITE_BUSY: database is locked");
      this.inner.transaction(() => {
        inside();
        if (this.faultBeside === "undone") throw new Error("SQLITE_FULL: database or disk is full");
      })();
      if (this.faultBeside === "kept") throw new Error("SQLITE_IOERR: disk I/O error");
    };
    return Object.assign(run, { immediate: run });
  }

  close(): void {
    // Kept open: the next ledger uses it again.
  }

  /** Resets the file to its initial state. */
  empty(): void {
    this.faults.length = 0;
    this.faultBeside = undefined;
    if (this.inTransaction) this.run("rollback");
    for (const table of LEDGER_TABLES) (this.prepare(`delete from ${table}`) as Statement).run();
  }

  #wrap(sql: string): unknown {
    const statement = this.inner.prepare(sql);
    if (sql === "begin immediate") return { run: () => this.#begin(statement) };
    if (sql === "commit") return { run: () => this.#commit(statement) };
    if (sql.endsWith("from entries where id > ? order by id limit ?")) return this.#quickWhereEmpty(statement);
    if (sql.startsWith("insert into entries")) return { run: (...row: never[]) => this.#insert(statement, row) };
    return statement;
  }

  /** Many columns take long to read, even without any rows. In a short history this is most of the time for opening a ledger. */
  #quickWhereEmpty(statement: Statement): unknown {
    const look = this.inner.prepare<unknown, [number]>("select 1 from entries where id > ? limit 1");
    return { all: (id: number, limit: number) => (look.get(id) === null ? [] : statement.all(id, limit)) };
  }

  #begin(statement: Statement): void {
    this.#fault = this.faults.shift();
    this.#inserted = 0;
    if (this.#fault === "locked") throw new Error("SQLITE_BUSY: database is locked");
    statement.run();
  }

  #insert(statement: Statement, row: never[]): void {
    if (this.#fault === "full" && ++this.#inserted > 1) throw new Error("SQLITE_FULL: database or disk is full");
    statement.run(...row);
  }

  #commit(statement: Statement): void {
    if (this.#fault === "rolled back") this.inner.run("rollback");
    if (this.#fault === "kept" || this.#fault === undefined) statement.run();
    if (this.#fault !== undefined) throw new Error(`SQLITE_IOERR: the commit ${this.#fault}`);
  }
}

/** A database in memory, with all tables but no rows. */
export async function openMemory(): Promise<SqliteFile> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-memory-"));
  try {
    const database = openSqlite(join(folder, "tables.db"));
    await migrate(database);
    await database.destroy();
    const tables = new SqliteFile(join(folder, "tables.db"));
    const made = tables.query<{ sql: string }, []>("select sql from sqlite_master where sql is not null").all();
    tables.close();
    const memory = new SqliteFile(":memory:", { strict: true });
    for (const { sql } of made) memory.run(sql);
    return memory;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
