import { closeSync, openSync } from "node:fs";
import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { KeyTable } from "./keys/key-table.ts";

/** Every table, by name. */
export interface Tables {
  keys: KeyTable;
}

export type Database = Kysely<Tables>;

/** Opens the embedded database, made on first use. */
export function openSqlite(path: string): Database {
  // Made for its owner alone: the folder may have been made by somebody less careful. SQLite's other files take this mode too.
  closeSync(openSync(path, "a", 0o600));
  const file = new SqliteFile(path, { strict: true });
  // The timeout comes first: switching to WAL takes a lock itself, and would fail at once beside another process.
  file.run("pragma busy_timeout = 5000");
  file.run("pragma journal_mode = wal");
  file.run("pragma synchronous = full");
  file.run("pragma foreign_keys = on");
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => file.close(),
        prepare(sql) {
          const statement = file.query<unknown, SQLQueryBindings[]>(sql);
          return {
            reader: statement.columnNames.length > 0,
            all: (parameters) => statement.all(...(parameters as SQLQueryBindings[])),
            run: (parameters) => statement.run(...(parameters as SQLQueryBindings[])),
            iterate: (parameters) => statement.iterate(...(parameters as SQLQueryBindings[])),
          };
        },
      },
    }),
  });
}
