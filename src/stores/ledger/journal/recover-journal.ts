import type { Database as SqliteFile } from "bun:sqlite";
import { APPLICATION_ID } from "../../database.ts";
import type { EntryTable } from "../tables/entry-table.ts";
import type { Journal } from "./journal.ts";
import { entriesToReplay, readJournal } from "./read-journal.ts";

/** Writes to the database what a crash left in the journal, and begins the journal again. */
export function recoverJournal(journal: Journal, entries: EntryTable, file: SqliteFile): void {
  const left = entriesToReplay(readJournal(journal.path), entries.lastId);
  if (left.length > 0) file.transaction(() => left.forEach((entry) => entries.insert(entry)))();
  journal.begin({ entryId: entries.lastId, changeId: lastChangeId(file) });
  // A commit: from now on, until an orderly end, the WAL is not empty, and a start that finds one without a journal knows that it was lost.
  file.run(`pragma application_id = ${APPLICATION_ID}`);
}

/** The last change in the audit log. */
export function lastChangeId(file: SqliteFile): number {
  return file.query<{ id: number | null }, []>("select max(id) as id from changes").get()?.id ?? 0;
}
