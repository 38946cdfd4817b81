import { Database } from "bun:sqlite";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { readCsv } from "../../../lib/text/csv.ts";
import { CommandFailed } from "../../command.ts";
import type { Row } from "./row-values.ts";

/** The tables of another gateway, which are only read. */
export interface SourceTables {
  /** All rows; none if the table does not exist. */
  read(table: string): Promise<readonly Row[]>;
  /**
   * For a folder: the names of the CSV files that are missing for these tables. A database has no such method, because it lacks only tables
   * that its version does not have.
   */
  missing?(tables: readonly string[]): readonly string[];
  close(): Promise<void>;
}

/** Opens `postgres://…`, `mysql://…`, an SQLite file or a folder with a CSV file for each table. */
export function openSource(from: string): SourceTables {
  if (/^postgres(ql)?:\/\//.test(from)) return openServer(from, '"', "select row_to_json(t) as row from ");
  if (from.startsWith("mysql://")) return openServer(from, "`", "select * from ");
  const path = from.replace(/^sqlite:(\/\/)?/, "");
  // The text may be the URL of a database in another format, such as `user:password@tcp(host)/one-api`, which contains a password.
  const shown = /[:@]/.test(path) ? "the source" : path;
  if (!existsSync(path))
    throw new CommandFailed(`${shown} does not exist: name a database (postgres://…, mysql://…), an SQLite file or a folder`);
  return statSync(path).isDirectory() ? openFolder(path) : openFile(path);
}

function openServer(url: string, quote: string, select: string): SourceTables {
  const sql = openSql(url);
  return {
    async read(table) {
      try {
        const rows = (await sql.unsafe(`${select}${quote}${table}${quote} t`)) as readonly Row[];
        return rows.map((row) => (select.includes("row_to_json") ? (row["row"] as Row) : row));
      } catch (error) {
        if (isMissingTable(error as Error)) return [];
        // The driver's message may contain the password of the URL.
        throw new CommandFailed(`the table ${table} cannot be read from the database: ${(error as Error).message.replaceAll(url, "…")}`);
      }
    },
    close: () => sql.close(),
  };
}

function openSql(url: string): SQL {
  try {
    return new SQL(url, { max: 1 });
  } catch {
    throw new CommandFailed(
      "the URL of the database is not valid: check its port, and write % and other special characters of the password as %25…",
    );
  }
}

function isMissingTable({ message }: Error): boolean {
  return /does(n't| not) exist/.test(message) && /relation|table/i.test(message);
}

function openFile(path: string): SourceTables {
  const file = new Database(path, { readonly: true });
  return {
    async read(table) {
      try {
        const isThere = file.query("select 1 from sqlite_schema where name = ?").get(table);
        return isThere ? (file.query(`select * from "${table}"`).all() as Row[]) : [];
      } catch (error) {
        throw new CommandFailed(`the table ${table} cannot be read from ${path}: ${(error as Error).message}`);
      }
    },
    async close() {
      file.close();
    },
  };
}

function openFolder(folder: string): SourceTables {
  return {
    async read(table) {
      const path = join(folder, `${table}.csv`);
      return existsSync(path) ? readTable(path) : [];
    },
    missing: (tables) => tables.map((table) => `${table}.csv`).filter((name) => !existsSync(join(folder, name))),
    async close() {},
  };
}

/** Reads a table that a database has exported as CSV, with the column names in the first line. */
function readTable(path: string): readonly Row[] {
  const fail = (problem: string, line: number): Error => new CommandFailed(`${path} is not valid CSV: line ${line}: ${problem}`);
  const [names, ...records] = readCsv(readFileSync(path, "utf8"), { fail });
  return records.map(({ cells }) => Object.fromEntries(cells.map((cell, column) => [names!.cells[column], cell])));
}
