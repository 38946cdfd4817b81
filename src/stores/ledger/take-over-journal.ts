import type { Database as SqliteFile } from "bun:sqlite";
import type { EntryTable } from "./entry-table.ts";
import { leftInJournal, type Journal } from "./journal.ts";

/** Writes to the database what a crash left in the journal. */
export function takeOver(journal: Journal, entries: EntryTable, file: SqliteFile): void {
  const left = leftInJournal(journal.path, entries.lastId);
  if (left.length > 0) file.transaction(() => left.forEach((entry) => entries.insert(entry)))();
}
