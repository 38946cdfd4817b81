import type { Database as SqliteFile } from "bun:sqlite";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { filesIn } from "../integrity/folder-files.ts";
import { ProcessJournal } from "../ledger/journal/process-journal.ts";
import { entriesToReplay } from "../ledger/journal/read-journal.ts";
import { ChangeLog } from "../ledger/leases/change-log.ts";
import type { ProcessChange } from "../ledger/leases/process-change.ts";
import { processFolderIn } from "../ledger/processes/process-folder.ts";
import { EntryTable } from "../ledger/tables/entry-table.ts";
import { InstanceTable } from "../ledger/tables/instance-table.ts";
import { openSqliteReader, openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { changesAfter, readLiveJournals, type LiveJournals } from "./live-journals.ts";

/** Longer than the start of a gateway, which locks the database for a moment. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Copies the ledger and all records of a data folder into a new folder, in the state that a crash would leave: the database as of one
 * moment, the entries that were only in the journal, and the journals of gateway processes. A gateway may be using the folder, and is not
 * blocked. The folder must have the schema of this version. Throws the errors of SQLite and of the disk.
 */
export function copyFolder(dataFolder: string, copy: string): void {
  const journals = readLiveJournals(dataFolder);
  const { database } = filesIn(copy);
  copySqlite(filesIn(dataFolder).database, database);
  const file = openSqliteWriter(database, "process");
  try {
    addJournals(copy, file, journals);
  } finally {
    file.close();
  }
}

/** Copies a database that others may be writing, as of one moment and without free pages. */
export function copySqlite(from: string, to: string): void {
  closeSync(openSync(to, "wx", 0o600));
  const file = openSqliteReader(from);
  try {
    file.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    file.query("vacuum into ?").run(to);
  } finally {
    file.close();
  }
}

function addJournals(copy: string, file: SqliteFile, { own, processes }: LiveJournals): void {
  const entries = new EntryTable(file);
  const left = entriesToReplay({ items: own }, entries.lastId);
  file.transaction(() => left.forEach((entry) => entries.insert(entry)))();
  // A process without a row has ended since, and its whole journal is in the ledger: a process joins before it can hold credit.
  for (const { id, appliedSeq } of new InstanceTable(file).all()) {
    writeJournal(processFolderIn(copy, id), changesAfter(processes.get(id) ?? [], appliedSeq));
  }
}

function writeJournal(folder: string, changes: readonly ProcessChange[]): void {
  if (changes.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = new ChangeLog(new ProcessJournal(folder, "process"), () => false);
  for (const change of changes) log.add(change);
  if (!log.close()) throw new Error(`${changes.length} changes do not fit into the journal in ${folder}`);
}
