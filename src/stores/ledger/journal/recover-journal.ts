import type { Database as SqliteFile } from "bun:sqlite";
import { APPLICATION_ID } from "../../sqlite/sqlite-database.ts";
import type { EntryTable } from "../tables/entry-table.ts";
import type { Journal } from "./journal.ts";
import { entriesToReplay, readJournal } from "./read-journal.ts";

/** Crash recovery: replays the entries in the journal into the database, and starts a new journal. */
export function recoverJournal(journal: Journal, entries: EntryTable, file: SqliteFile): void {
  const left = entriesToReplay(readJournal(journal.path), entries.lastId);
  if (left.length > 0) file.transaction(() => left.forEach((entry) => entries.insert(entry)))();
  journal.begin({ entryId: entries.lastId, changeId: lastChangeId(file) });
  // This is a commit: from now on until a clean shutdown the WAL is not empty. So a start that finds a WAL without a journal knows that the
  // journal was lost.
  file.run(`pragma application_id = ${APPLICATION_ID}`);
}

/** The id of the last change in the audit log. */
export function lastChangeId(file: SqliteFile): number {
  return file.query<{ id: number | null }, []>("select max(id) as id from changes").get()?.id ?? 0;
}
