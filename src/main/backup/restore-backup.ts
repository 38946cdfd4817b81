import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import { ConfigError } from "../../config/config-error.ts";
import { prepareDataFolder } from "../../config/data-folder.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { DATABASE, dayIn, isBackupName } from "../../stores/backup/backup-names.ts";
import { extractBackup } from "../../stores/backup/read-backup.ts";
import { lockFolder } from "../../stores/folder-lock.ts";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { restoringIn } from "../../stores/interrupted-restore.ts";
import { syncFolder } from "../../stores/ledger/journal/create-journal.ts";
import { migrate } from "../../stores/migrations/migrate.ts";
import { openSqlite } from "../../stores/sqlite/sqlite-database.ts";
import { addressOf } from "../moving/move-report.ts";
import { moveToDatabase } from "../moving/move-to-database.ts";
import { auditCopy, type AuditedCopy } from "./audit-copy.ts";
import { refuseFullDisk, toFullDisk } from "./free-space.ts";
import { LAST_BACKUP } from "./last-backup.ts";
import { checkBackup, type VerifiedBackup } from "./verify-backup.ts";
import { openWithoutWal } from "../../stores/integrity/read-database.ts";

/** A backup that was restored. */
export interface RestoredBackup extends Omit<VerifiedBackup, "audited"> {
  /** The data folder, or the URL of the database. */
  readonly to: string;
  readonly audited: AuditedCopy;
  /** The number of encrypted values: credentials of upstreams and secrets of webhooks. */
  readonly sealedCount: number;
}

/** Files that an empty data folder may contain: the lock, the folder of a mounted disk, and the record of a backup. */
const NO_DATA: ReadonlySet<string> = new Set(["lock", "lock-journal", "lost+found", LAST_BACKUP]);

/**
 * Restores a backup into the data folder, which must be empty. If a database is configured, restores into the database, which must be empty
 * too. Throws `BackupRefused`, `FolderInUse`, `ConfigError`, and the errors of a move; the folder is then empty.
 */
export async function restoreBackup(config: StorageConfig, file: string, nowMs: number): Promise<RestoredBackup> {
  const path = resolve(file);
  const { dataFolder, database, secret, hashSecret } = config;
  if (database && !(secret && hashSecret)) {
    throw new ConfigError(
      `${SETTINGS.secret} and ${SETTINGS.hashSecret} must be set to the secrets of the backup: every process of the database needs them`,
    );
  }
  prepareDataFolder(dataFolder);
  refuseUsedFolder(dataFolder);
  const lock = lockFolder(dataFolder);
  try {
    // Checked again under the lock, because a gateway may have used the folder meanwhile.
    refuseUsedFolder(dataFolder);
    const restored = await restore(config, database, { path, manifest: checkBackup(path) }, nowMs);
    if (process.geteuid?.() === 0) giveToOwner(dataFolder);
    return restored;
  } finally {
    lock.release();
  }
}

async function restore(
  config: StorageConfig,
  database: DatabaseSettings | undefined,
  { path, manifest }: Pick<VerifiedBackup, "path" | "manifest">,
  nowMs: number,
): Promise<RestoredBackup> {
  const { dataFolder } = config;
  const staging = restoringIn(dataFolder);
  // Also removes the files of an interrupted restore. The marker of that restore is removed last.
  const clear = (): void => {
    for (const name of namesIn(dataFolder)) if (name !== basename(staging)) rmSync(join(dataFolder, name), { recursive: true });
    rmSync(staging, { recursive: true, force: true });
  };
  try {
    clear();
    mkdirSync(staging, { mode: 0o700 });
    refuseFullDisk(dataFolder, statSync(path).size);
    extractBackup(path, manifest, staging);
    const { audited, sealedCount } = await migrateAndAudit(staging, path, nowMs);
    if (database) {
      const hasRequestLog = manifest.files.some(({ name }) => dayIn(name) !== undefined);
      await moveToDatabase({ ...config, dataFolder: staging }, database, hasRequestLog, nowMs);
      clear();
    } else putInPlace(staging, dataFolder);
    return { path, manifest, audited, sealedCount, to: database ? addressOf(database.url) : dataFolder };
  } catch (error) {
    clear();
    throw toFullDisk(dataFolder, error);
  }
}

/** Migrates a backup of an earlier version, as a start does. */
async function migrateAndAudit(folder: string, path: string, nowMs: number): Promise<{ audited: AuditedCopy; sealedCount: number }> {
  const database = openSqlite(filesIn(folder).database);
  try {
    await migrate(database);
  } finally {
    await database.destroy();
  }
  const file = openWithoutWal(filesIn(folder).database);
  try {
    const withHeaders = `declared like '%"headers":{"%'`;
    const upstreams = `select count(*) from upstreams where credential is not null or ${withHeaders}`;
    const sealed = `select (${upstreams}) + (select count(*) from models where ${withHeaders}) + (select count(*) from webhooks) as count`;
    const { count } = file.query<{ count: number }, []>(sealed).get()!;
    return { audited: await auditCopy(path, file, nowMs), sealedCount: count };
  } finally {
    file.close();
  }
}

/**
 * Moves the restored files into the data folder, the database last. If the database is missing, a start notices from the other files that
 * the folder is incomplete. The restore's marker is removed at the end.
 */
function putInPlace(staging: string, dataFolder: string): void {
  const names = readdirSync(staging).toSorted((a, b) => Number(a === DATABASE) - Number(b === DATABASE));
  for (const name of names) renameSync(join(staging, name), join(dataFolder, name));
  syncFolder(dataFolder);
  rmSync(staging, { recursive: true });
  syncFolder(dataFolder);
}

/** Root restores on behalf of the service's user, who owns the folder and must be able to read the files in it. */
function giveToOwner(folder: string): void {
  const { uid, gid } = statSync(folder);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of names.filter((each) => !each.startsWith("lost+found"))) chownSync(join(folder, name), uid, gid);
}

function refuseUsedFolder(folder: string): void {
  const names = namesIn(folder);
  const isInterrupted = existsSync(restoringIn(folder));
  const others = isInterrupted ? names.filter((name) => !isBackupName(name) && name !== "requests" && name !== "restoring") : names;
  if (others.length === 0) return;
  throw new BackupRefused(
    `the data folder ${folder} is not empty, it has ${others[0]}: restore into another one (${SETTINGS.data}), or move its files away`,
  );
}

/** Gateway processes that have shut down normally leave their folder without a journal. */
function namesIn(folder: string): string[] {
  const isEmpty = (name: string): boolean => name === "processes" && readdirSync(join(folder, name)).length === 0;
  return readdirSync(folder).filter((name) => !NO_DATA.has(name) && !isEmpty(name));
}
