import type { Database as SqliteFile, Statement } from "bun:sqlite";
import { toReadableJson } from "../ledger/postgres/json-text.ts";
import { storable } from "../request-log/log-dialect.ts";
import type { MovedRow, MovedTable } from "./moved-table.ts";

/** The rows of a table in SQLite, with texts in the form in which PostgreSQL can store them. */
export function* sqliteRows(file: SqliteFile, { sqlite, columns, orderBy }: MovedTable): Generator<MovedRow> {
  const values = columns.map(({ name, fromSqlite }) => `${fromSqlite ?? `cast("${name}" as text)`} as "${name}"`);
  const rows = file.query<Record<string, string | null>, []>(
    `select ${values.join(", ")} from ${sqlite}${orderBy ? ` order by ${sqlite}.${orderBy}` : ""}`,
  );
  for (const row of rows.iterate()) {
    yield columns.map(({ name, isJson }) => {
      const value = row[name]!;
      return value === null ? null : storable(isJson ? toReadableJson(value) : value);
    });
  }
}

const INTEGERS = new Set(["bigint", "integer"]);

/** Inserts rows into a table in SQLite. */
export class SqliteRowWriter {
  readonly #insert: Statement;
  readonly #isInteger: readonly boolean[];

  constructor(file: SqliteFile, { sqlite, columns }: MovedTable) {
    const names = columns.map(({ name }) => `"${name}"`);
    const places = columns.map(({ toSqlite = (parameter) => parameter }, at) => toSqlite(`?${at + 1}`));
    this.#insert = file.query(`insert into ${sqlite} (${names.join(", ")}) values (${places.join(", ")})`);
    this.#isInteger = columns.map(({ type }) => INTEGERS.has(type));
  }

  add(row: MovedRow): void {
    this.#insert.run(...row.map((value, at) => (value !== null && this.#isInteger[at] ? BigInt(value) : value)));
  }
}
