import type { Database as SqliteFile } from "bun:sqlite";
import type { Compilable } from "kysely";
import type { Change } from "../access/change.ts";
import { toRow } from "./audit-log/change-table.ts";
import type { Database } from "./database.ts";

/** The statement that records a change in the audit log. Every store runs it in the transaction of the change itself. */
export function recordChange(database: Database, change: Change): Compilable {
  return database.insertInto("changes").values(toRow(change));
}

/** The same for the ledger, which has its own connection: records a change in the open transaction. */
export function writeChange(file: SqliteFile, change: Change): void {
  const row = toRow(change);
  const columns = Object.keys(row);
  const places = columns.map((name) => `$${name}`).join(", ");
  file.query(`insert into changes (${columns.join(", ")}) values (${places})`).run({ ...row });
}
