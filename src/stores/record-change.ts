import type { Compilable } from "kysely";
import type { Change } from "../vocabulary/change.ts";
import { toRow } from "./audit-log/change-table.ts";
import type { Database } from "./database.ts";

/** The statement that records a change. Every store that changes something writes it in the same transaction. */
export function recordChange(database: Database, change: Change): Compilable {
  return database.insertInto("changes").values(toRow(change));
}
