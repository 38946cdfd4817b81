import type { Database as SqliteFile } from "bun:sqlite";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Damage, Finding } from "./integrity/folder-damaged.ts";
import { filesIn, sizeOf, type FolderFiles } from "./integrity/folder-files.ts";
import {
  isCorruption,
  openWithoutWal,
  problemOfDatabase,
  readLastRecords,
  rollBack,
  type LastRecords,
  type DatabaseReading,
} from "./integrity/read-database.ts";
import { readWal, type WalContent } from "./integrity/read-wal.ts";
import { entriesToReplay, readJournal, type JournalContent } from "./ledger/journal/read-journal.ts";
import { refuseBeforeFirstRelease } from "./migrations/migrate.ts";
import { openSqliteReader } from "./sqlite/sqlite-database.ts";

/** The result of the integrity check of a data folder. */
export interface Examination extends Damage {
  /** How the database can still be used. */
  readonly usable: "with WAL" | "without WAL" | "not at all";
}

const SOUND: Examination = { findings: [], losses: [], usable: "with WAL" };
const CHANGES = ["audit log change", "audit log changes"] as const;
const EVERYTHING = "every key, account and ledger entry in tollgate.db.";

/**
 * Checks the integrity of a data folder that no process has open. Changes nothing, except for what SQLite does whenever it opens a database.
 * Neither a crash of the process at any moment nor a loss of power, within the promises of the durability setting, counts as damage.
 * `isThorough` checks every page of the database. Throws `CannotMigrate` for the folder of a newer version.
 */
export function examineFolder(folder: string, isThorough = false): Examination {
  const files = filesIn(folder);
  const wal = readWal(files.wal);
  const journal = readJournal(files.journal);
  try {
    if (sizeOf(files.rollbackJournal) > 0) rollBack(files.database);
    if (sizeOf(files.database) === 0) return examineMissing(files, wal, journal);
    const problem = problemOfDatabase(files.database, wal);
    if (problem !== undefined) return unusable([{ file: files.database, problem }]);
    return examineRecords(files, wal, journal, readLastRecords(files.database, wal, isThorough));
  } catch (error) {
    if (!isCorruption(error)) throw error;
    return unusable([{ file: files.database, problem: `it cannot be read: ${error.message}` }]);
  }
}

function unusable(findings: readonly Finding[]): Examination {
  return { findings, losses: [EVERYTHING], usable: "not at all" };
}

function examineMissing(files: FolderFiles, wal: WalContent, journal: JournalContent): Examination {
  const hadRecords = journal.knownEntryId > 0 || (journal.mark?.changeId ?? 0) > 0;
  if (!hasHashSecret(files) && wal.isEmpty && !hadRecords) return SOUND;
  const what = existsSync(files.database) ? "is empty" : "is missing";
  return unusable([{ file: files.database, problem: `it ${what}, although files exist that are only created after it` }]);
}

function examineRecords(files: FolderFiles, wal: WalContent, journal: JournalContent, reading: DatabaseReading): Examination {
  const { last, ignoresWal } = reading;
  const restorable = entriesToReplay(journal, last.entryId).length;
  const lastEntryId = last.entryId + restorable;
  const { knownEntryId } = journal;
  const knownChangeId = journal.mark?.changeId ?? 0;
  const losses = [
    ...describeLoss(["ledger entry", "ledger entries"], lastEntryId + 1, knownEntryId, last.entryAtMs),
    ...describeLoss(CHANGES, last.changeId + 1, knownChangeId, last.changeAtMs),
  ];
  const damaged = damagedFiles(files, wal, journal, reading);
  if (damaged.length === 0 && losses.length === 0) return SOUND;
  const behind = { file: files.database, problem: describeBehind(last, knownEntryId, knownChangeId) };
  return {
    findings: [...damaged, ...(losses.length > 0 ? [behind] : [])],
    losses: losses.length > 0 ? losses : [unknownLoss(last)],
    usable: ignoresWal ? "without WAL" : "with WAL",
  };
}

function damagedFiles(files: FolderFiles, wal: WalContent, journal: JournalContent, { last, ignoresWal }: DatabaseReading): Finding[] {
  const findings: Finding[] = [];
  // After a loss of power the end of the WAL may be incomplete. The journal's mark shows whether a confirmed record is missing.
  if (wal.damage !== undefined && (ignoresWal || !journal.isOfOtherBoot)) findings.push({ file: files.wal, problem: wal.damage });
  if (journal.damage !== undefined) findings.push({ file: files.journal, problem: journal.damage });
  // The journal is created before the first commit, and only a clean shutdown removes the WAL, so a WAL without a journal means a lost journal.
  // This does not apply if no journal was begun, as by a first start that was killed.
  if (last.hasJournal && journal.isEmpty && !wal.isEmpty && hasHashSecret(files)) {
    findings.push({
      file: files.journal,
      problem: `it is ${existsSync(files.journal) ? "empty" : "missing"}, although the gateway was not shut down cleanly`,
    });
  }
  return findings;
}

/** Whether a start has opened the database before. */
function hasHashSecret({ hashSecret, hashSecretCheck }: FolderFiles): boolean {
  return existsSync(hashSecret) || existsSync(hashSecretCheck);
}

function describeBehind({ entryId, changeId }: LastRecords, knownEntryId: number, knownChangeId: number): string {
  return `it ends at ledger entry ${entryId} and change ${changeId}, but ledger-journal proves entries up to ${knownEntryId} and changes up to ${knownChangeId}`;
}

function describeLoss([one, many]: readonly [string, string], from: number, to: number, lastAtMs: number | undefined): string[] {
  if (to < from) return [];
  const which = to === from ? `1 ${one} (${from})` : `${to - from + 1} ${many} (${from} to ${to})`;
  return [`${which}${recordedAfter(lastAtMs)}.`];
}

function unknownLoss({ entryAtMs, changeAtMs }: LastRecords): string {
  const lastAtMs = Math.max(entryAtMs ?? 0, changeAtMs ?? 0) || undefined;
  return `an unknown number of records${recordedAfter(lastAtMs)}.`;
}

function recordedAfter(atMs: number | undefined): string {
  return atMs === undefined ? "" : `, recorded after ${new Date(atMs).toISOString()}`;
}

/**
 * Throws `CannotMigrate` for a data folder from before the first release. To be called before anything else: the folder stays as it is, while SQLite
 * writes to a database that it opens with a WAL.
 */
export function refuseOldFolder(folder: string): void {
  const { database, wal } = filesIn(folder);
  if (sizeOf(database) === 0) return;
  const checkpointed = migrationsIn(() => openWithoutWal(database));
  const isInWal = checkpointed?.length === 0 && sizeOf(wal) > 0;
  const applied = isInWal ? migrationsInCopy([database, wal]) : checkpointed;
  refuseBeforeFirstRelease(applied ?? [], `the data in ${folder}`);
}

/** Of a gateway that was killed before its first checkpoint: both files are small. */
function migrationsInCopy(files: readonly [database: string, wal: string]): string[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-"));
  try {
    const [database] = files.map((file) => {
      const copy = join(folder, basename(file));
      copyFileSync(file, copy);
      return copy;
    });
    return migrationsIn(() => openSqliteReader(database!));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Empty if there are no tables yet; undefined if they cannot be read: the integrity check names the damage. */
function migrationsIn(open: () => SqliteFile): string[] | undefined {
  let file: SqliteFile | undefined;
  try {
    file = open();
    const hasTable = file.query("select 1 from sqlite_schema where name = 'kysely_migration'").get() !== null;
    if (!hasTable) return [];
    const rows = file.query<{ name: string }, []>("select name from kysely_migration").all();
    return rows.map(({ name }) => name);
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
