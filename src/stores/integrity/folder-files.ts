import { statSync } from "node:fs";
import { join } from "node:path";

/** The files in the data folder that a start needs. */
export interface FolderFiles {
  readonly database: string;
  readonly wal: string;
  readonly sharedMemory: string;
  /** SQLite's rollback journal, which exists before the database is in WAL mode: only a first start that was killed leaves it behind. */
  readonly rollbackJournal: string;
  readonly journal: string;
  /** Each start that opened the database leaves at least one of these files, so they prove that the database existed. */
  readonly hashSecret: string;
  readonly hashSecretCheck: string;
}

export function filesIn(folder: string): FolderFiles {
  const database = join(folder, "tollgate.db");
  return {
    database,
    wal: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    rollbackJournal: `${database}-journal`,
    journal: join(folder, "ledger-journal"),
    hashSecret: join(folder, "hash-secret"),
    hashSecretCheck: join(folder, "hash-secret-check"),
  };
}

/** The size of a file; 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
