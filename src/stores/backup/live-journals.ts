import { readdirSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../integrity/folder-files.ts";
import { isSegment } from "../ledger/journal/process-journal.ts";
import { readJournal } from "../ledger/journal/read-journal.ts";
import type { ProcessChange } from "../ledger/leases/process-change.ts";
import { listProcessFolders, processFolderIn } from "../ledger/processes/process-folder.ts";

/** The content of the journals in a data folder that a gateway may be writing. */
export interface LiveJournals {
  /** The latest entries of the process that owns the database. */
  readonly own: readonly ProcessChange[];
  /** The changes of each gateway process, in order. Some may be in the ledger already. */
  readonly processes: ReadonlyMap<string, readonly ProcessChange[]>;
}

/**
 * Reads the journals. Call this before reading the database: an entry stays in its journal until the database has it, so at least one of
 * the two has it. A place in a journal that is overwritten meanwhile looks damaged. Its old content is in the database, and its new content
 * was added after the copy began.
 */
export function readLiveJournals(dataFolder: string): LiveJournals {
  const processes = new Map(listProcessFolders(dataFolder).map((id) => [id, readChanges(processFolderIn(dataFolder, id))]));
  return { own: readItems(filesIn(dataFolder).journal), processes };
}

/** The changes that follow `appliedSeq` without a gap. A change after a gap was added while the journal was read. */
export function changesAfter(changes: readonly ProcessChange[], appliedSeq: number): readonly ProcessChange[] {
  const following: ProcessChange[] = [];
  for (const change of changes) if (change.id === appliedSeq + following.length + 1) following.push(change);
  return following;
}

function readChanges(folder: string): readonly ProcessChange[] {
  const segments = (undefinedIfMissing(() => readdirSync(folder)) ?? []).filter(isSegment);
  return segments.flatMap((name) => readItems(join(folder, name))).toSorted((a, b) => a.id - b.id);
}

function readItems(path: string): readonly ProcessChange[] {
  return undefinedIfMissing(() => readJournal(path))?.items ?? [];
}

/** Undefined if the file is gone: a journal is removed when all of it is in the database. */
function undefinedIfMissing<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
