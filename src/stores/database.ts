import { closeSync, openSync } from "node:fs";
import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import { Kysely, SqliteAdapter, SqliteDialect, type Compilable, type SqliteStatement } from "kysely";
import { StorageUnavailable, type StorageProblem } from "../requests/storage-unavailable.ts";
import type { AccessTokenTable } from "./access-tokens/access-token-table.ts";
import type { AccountTable } from "./accounts/account-table.ts";
import type { AlertMarkTable, AlertTable } from "./alerts/alert-table.ts";
import type { DeliveryTable } from "./alerts/delivery-table.ts";
import type { HourlySpendTable } from "./alerts/hourly-spend-table.ts";
import type { WebhookTable } from "./alerts/webhook-table.ts";
import type { ChangeTable } from "./audit-log/change-table.ts";
import type { AnnouncementTable } from "./catalog/announcement-table.ts";
import type { ModelTable } from "./catalog/model-table.ts";
import type { UpstreamTable } from "./catalog/upstream-table.ts";
import type { KeyTable } from "./keys/key-table.ts";
import type { PersonTable } from "./people/person-table.ts";
import type { SessionTable } from "./sessions/session-table.ts";
import type { KeyUseTable, ModelUseTable } from "./last-used/last-used-table.ts";

/** Every table, by name. */
export interface Tables {
  access_tokens: AccessTokenTable;
  accounts: AccountTable;
  alert_marks: AlertMarkTable;
  alerts: AlertTable;
  announcements: AnnouncementTable;
  changes: ChangeTable;
  deliveries: DeliveryTable;
  key_hours: HourlySpendTable;
  keys: KeyTable;
  models: ModelTable;
  upstreams: UpstreamTable;
  people: PersonTable;
  sessions: SessionTable;
  key_uses: KeyUseTable;
  model_uses: ModelUseTable;
  webhooks: WebhookTable;
}

/**
 * What a commit outlives: the end of the process (`process`), or of the machine (`power`), for which the disk must be waited
 * for each time.
 */
export type Durability = "process" | "power";

/**
 * "Toll", in the header of the database: https://www.sqlite.org/fileformat2.html#application_id
 * Written when the journal has its mark. A database without it is from a version that emptied the journal when it closed, or had none.
 */
export const APPLICATION_ID = 0x546f6c6c;

/**
 * How long a change by the platform waits for the lock of another process: longer than a short transaction, and shorter than anybody notices
 * in the answers under way, or a liveness probe.
 */
export const BRIEF_BUSY_TIMEOUT_MS = 100;

/** So long may the log become, 32 MB, where `Checkpoint` does not come to an end. Then SQLite takes it over itself, and everything waits. */
const MOST_PAGES = 8000;

/**
 * Kysely takes SQLite for unable to undo a change of tables, and would migrate without a transaction. It can, and must: of a
 * migration that was killed halfway nothing may be left, or no later start could run it again.
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

/** A change of one store that is made together with another's: what is to be written, and then what is to be known in memory. */
export interface PreparedWrite {
  readonly statements: readonly Compilable[];
  readonly apply: () => void;
}

/** The embedded database: queries as Kysely builds them, and `write` for what belongs together. */
export class Database extends Kysely<Tables> {
  readonly #file: SqliteFile;
  #committed: ((file: SqliteFile) => void) | undefined;

  constructor(file: SqliteFile) {
    super({ dialect: new TransactionalSqliteDialect({ database: { close: () => file.close(), prepare: (sql) => prepare(file, sql) } }) });
    this.#file = file;
  }

  /**
   * Makes changes in one transaction: all of them, or none. It runs in one turn of the event loop. A transaction that lasted
   * longer would lock out the ledger's writer, which never waits.
   */
  async write(...statements: Compilable[]): Promise<void> {
    this.writeInTurn(...statements);
  }

  /** How long a write waits from here on for the lock of another process. Nothing else in this process runs meanwhile. */
  setBusyTimeout(ms: number): void {
    this.#file.run(`pragma busy_timeout = ${ms}`);
  }

  /** The same for whoever also keeps it in memory: between the two nothing else can look. */
  writeInTurn(...statements: Compilable[]): void {
    const queries = statements.map((statement) => statement.compile());
    orUnavailable(() =>
      this.#file.transaction(() => {
        for (const { sql, parameters } of queries) this.#file.query(sql).run(...(parameters as SQLQueryBindings[]));
      })(),
    );
    this.#committed?.(this.#file);
  }

  /** Called behind each of these changes. */
  onCommit(committed: (file: SqliteFile) => void): void {
    this.#committed = committed;
  }

  /** Copies the WAL into the file, as far as no reader needs it. The WAL itself stays. */
  async checkpoint(): Promise<void> {
    this.#file.run("pragma wal_checkpoint(passive)");
  }
}

const NO_CHANGES = { changes: 0, lastInsertRowid: 0 };

function prepare(file: SqliteFile, sql: string): SqliteStatement {
  const statement = orUnavailable(() => file.query<unknown, SQLQueryBindings[]>(sql));
  return {
    reader: statement.columnNames.length > 0,
    all: (parameters) => orUnavailable(() => statement.all(...(parameters as SQLQueryBindings[]))),
    // Some errors end the transaction by themselves, such as a full disk. An error from rolling it back would hide them.
    run: (parameters) =>
      orUnavailable(() => (sql === "rollback" && !file.inTransaction ? NO_CHANGES : statement.run(...(parameters as SQLQueryBindings[])))),
    iterate: (parameters) => orUnavailable(() => statement.iterate(...(parameters as SQLQueryBindings[]))),
  };
}

/** Of SQLite's result codes (https://www.sqlite.org/rescode.html), those that say nothing about the request. */
const PROBLEMS: readonly [code: RegExp, problem: StorageProblem][] = [
  [/^SQLITE_FULL/, "full"],
  [/^SQLITE_(BUSY|LOCKED)/, "locked"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^SQLITE_(IOERR|CANTOPEN)/, "failing"],
];

/** Does something with the database. Throws `StorageUnavailable` where neither the request nor the code is at fault. */
export function orUnavailable<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const found = PROBLEMS.find(([pattern]) => pattern.test(code));
    throw found ? new StorageUnavailable(found[1], { cause: error }) : error;
  }
}

/** Opens the embedded database, made on first use, for the platform's queries. */
export function openSqlite(path: string): Database {
  // Made for its owner alone: the folder may have been made by somebody less careful. SQLite's other files take this mode too.
  closeSync(openSync(path, "a", 0o600));
  const file = new SqliteFile(path, { strict: true });
  // The timeout comes first: switching to WAL takes a lock itself, and would fail at once beside another process.
  file.run("pragma busy_timeout = 5000");
  file.run("pragma journal_mode = wal");
  file.run("pragma synchronous = full");
  file.run("pragma foreign_keys = on");
  file.run(`pragma wal_autocheckpoint = ${MOST_PAGES}`);
  return new Database(file);
}

/** Opens the same database once more, to read it through. What is read keeps no writer waiting, and waits for none. */
export function openSqliteReader(path: string): SqliteFile {
  return new SqliteFile(path, { strict: true, readonly: true });
}

/**
 * Opens the same database once more, for a writer on the path of requests. It never waits for a lock, because everything else
 * in the process would wait with it: whoever uses it tries again later.
 */
export function openSqliteWriter(path: string, durability: Durability): SqliteFile {
  const file = new SqliteFile(path, { strict: true });
  file.run("pragma busy_timeout = 0");
  file.run(`pragma wal_autocheckpoint = ${MOST_PAGES}`);
  file.run(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
  return file;
}
