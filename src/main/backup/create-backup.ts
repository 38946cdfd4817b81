import { existsSync, readdirSync, renameSync, rmSync, statSync, lstatSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { version } from "../../../package.json";
import type { StorageConfig } from "../../config.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { BackupWriter } from "../../stores/backup/backup-writer.ts";
import { FolderInUse, lockFolder } from "../../stores/folder-lock.ts";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { syncFolder } from "../../stores/ledger/journal/create-journal.ts";
import type { BackupOptions } from "./backup-options.ts";
import type { BackupSource, CopiedDays } from "./backup-source.ts";
import { DatabaseSource } from "./database-source.ts";
import { FolderSource } from "./folder-source.ts";
import { toFullDisk } from "./free-space.ts";
import { recordBackup } from "./last-backup.ts";
import { verifyBackup, type VerifiedBackup } from "./verify-backup.ts";

/** A backup that was created and verified. */
export interface BackupResult extends VerifiedBackup {
  readonly bytes: number;
  /** Undefined if the backup does not contain the request log. */
  readonly requestLog: CopiedDays | undefined;
  readonly unshipped: readonly string[];
  /** Older backups that were deleted. */
  readonly deleted: readonly string[];
}

/**
 * The destination of a backup: a new file, or a folder. In a folder, the backup gets a dated name, and only the newest N backups are kept.
 */
export interface BackupTarget {
  readonly path: string;
  readonly keep: number | undefined;
}

/**
 * Creates a backup while gateways run, and verifies it. The file gets its name only when it is complete and durable; if anything fails,
 * there is no file. Throws `BackupRefused`, and the errors of the source.
 */
export async function createBackup(config: StorageConfig, target: BackupTarget, options: BackupOptions): Promise<BackupResult> {
  const folder = isFolder(target.path) ? resolve(target.path) : undefined;
  if (target.keep !== undefined && folder === undefined)
    throw new BackupRefused(`${target.path} is not a folder: only in a folder old backups are deleted`);
  const path = folder === undefined ? resolve(target.path) : join(folder, nameAt(options.nowMs));
  if (!isFolder(dirname(path))) throw new BackupRefused(`there is no folder ${dirname(path)}`);
  if (folder !== undefined) removeAbandoned(folder);
  const made = await inStaging(path, (staging) => withSource(config, options, (source) => build(source, path, staging, options)));
  const deleted = folder === undefined || target.keep === undefined ? [] : deleteOldest(folder, target.keep);
  recordBackup(config.dataFolder, made);
  return { ...made, deleted };
}

async function build(source: BackupSource, path: string, staging: string, options: BackupOptions): Promise<Omit<BackupResult, "deleted">> {
  const secrets = await source.prepare();
  await source.copyInto(staging);
  const { database: built } = filesIn(staging);
  const writer = new BackupWriter(built);
  const requestLog = options.hasRequestLog ? await source.addRequestLog(writer, staging) : undefined;
  for (const { name, secret } of secrets) writer.addSecret(name, secret);
  writer.seal({ createdAt: new Date(options.nowMs).toISOString(), version, source: source.name });
  const verified = await verifyBackup(built, options.nowMs, source.name);
  const { size: bytes } = statSync(built);
  renameSync(built, path);
  syncFolder(dirname(path));
  return { ...verified, path, bytes, requestLog, unshipped: source.unshipped };
}

/**
 * Runs the work with a staging folder beside the file, and removes that folder afterwards. A backup that was killed leaves its folder, and
 * the next backup removes it.
 */
async function inStaging<Result>(path: string, work: (staging: string) => Promise<Result>): Promise<Result> {
  const staging = `${path}${INCOMPLETE}`;
  makeStagingFolder(staging);
  const lock = lockStaging(staging, path);
  try {
    // Checked under the lock, so that no other backup writes the same file.
    if (existsSync(path)) throw new BackupRefused(`${path} exists: a backup does not replace a file`);
    for (const name of readdirSync(staging)) if (!name.startsWith("lock")) rmSync(join(staging, name), { recursive: true });
    return await work(staging);
  } catch (error) {
    throw toFullDisk(dirname(path), error);
  } finally {
    rmSync(staging, { recursive: true, force: true });
    lock.release();
  }
}

function lockStaging(staging: string, path: string): { release(): void } {
  try {
    return lockFolder(staging);
  } catch (error) {
    if (error instanceof FolderInUse) throw new BackupRefused(`another backup to ${path} is in progress`);
    rmSync(staging, { recursive: true, force: true });
    throw toFullDisk(dirname(path), error);
  }
}

async function withSource<Result>(
  config: StorageConfig,
  options: BackupOptions,
  work: (source: BackupSource) => Promise<Result>,
): Promise<Result> {
  const { database } = config;
  if (!database) return work(new FolderSource(config, options));
  const source = new DatabaseSource(config, database.url, options);
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

/** The suffix of a backup's name while it is written. */
export const INCOMPLETE = ".incomplete";

/** The names that Tollgate gives to backups in a folder. Other files belong to somebody else, and stay. */
const DATED = /^tollgate-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/;

/** The name of a backup created at this time. Names sort by time: `tollgate-2027-01-31T021500Z.backup`. */
export function nameAt(ms: number): string {
  return `tollgate-${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`;
}

/** Deletes the oldest backups of Tollgate in a folder, except the newest `keep`. Returns the paths of the deleted backups. */
export function deleteOldest(folder: string, keep: number): readonly string[] {
  const ours = readdirSync(folder)
    .filter((name) => DATED.test(name))
    .toSorted();
  const oldest = ours.slice(0, Math.max(0, ours.length - keep)).map((name) => join(folder, name));
  for (const path of oldest) rmSync(path);
  return oldest;
}

/** Removes the staging folders of backups that were killed. */
export function removeAbandoned(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(INCOMPLETE) && DATED.test(name.slice(0, -INCOMPLETE.length)));
  const ours = names.map((name) => join(folder, name)).filter((path) => isOwnFolder(path));
  for (const path of ours) if (isAbandoned(path)) rmSync(path, { recursive: true, force: true });
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The staging folder of a running backup is locked by its process. */
function isAbandoned(staging: string): boolean {
  try {
    lockFolder(staging).release();
    return true;
  } catch (error) {
    if (error instanceof FolderInUse) return false;
    throw error;
  }
}

/**
 * Creates the folder in which a backup is built, or reuses the folder that a killed backup has left. Throws `BackupRefused` if anything
 * else exists at the path.
 */
export function makeStagingFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (!isOwnFolder(path)) throw new BackupRefused(`${path} is not a folder of this user that a backup has left: remove it`);
  }
}

/**
 * Whether a backup of this user has created the folder. Backups may be in a folder in which other users write, such as /tmp. If another
 * user placed a link there, the next backup would delete the files that the link points to. In a folder of another user, that user could
 * exchange the files of a backup.
 */
export function isOwnFolder(path: string): boolean {
  const entry = lstatSync(path);
  return entry.isDirectory() && entry.uid === process.geteuid?.() && (entry.mode & 0o022) === 0;
}
