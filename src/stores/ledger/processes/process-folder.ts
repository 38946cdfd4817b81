import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderInUse, lockFolder } from "../../folder-lock.ts";

const PID_FILE = "pid";
const PORT_FILE = "port";
/** The name prefix of a folder that is not locked yet, so that the owner process does not mistake it for the folder of an ended process. */
const UNNAMED = ".new-";

/** The folder of a gateway process, with its journal. It is locked by the operating system until the process ends. */
export interface ProcessFolder {
  readonly path: string;
  release(): void;
}

/** The folder of the calling process. */
export interface OwnFolder extends ProcessFolder {
  /** Removes the folder with its journal, which must have been applied. */
  remove(): void;
}

/** A running gateway process. */
export interface RunningProcess {
  readonly id: string;
  /** Undefined if the file in its folder cannot be read. The same holds for the port. */
  readonly pid: number | undefined;
  /** The port that it listens on, or will listen on. */
  readonly port: number | undefined;
}

/** Creates and locks the folder of a gateway process. Its id must be new. The next owner reads the process's port from the folder. */
export function createProcessFolder(dataFolder: string, instanceId: string, port: number): OwnFolder {
  const parent = processesIn(dataFolder);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const unnamed = join(parent, `${UNNAMED}${instanceId}`);
  mkdirSync(unnamed, { mode: 0o700 });
  const lock = lockFolder(unnamed);
  writeFileSync(join(unnamed, PID_FILE), String(process.pid), { mode: 0o600 });
  writeFileSync(join(unnamed, PORT_FILE), String(port), { mode: 0o600 });
  const path = join(parent, instanceId);
  // The lock stays: it is on the file, not on its path.
  renameSync(unnamed, path);
  return { path, release: () => lock.release(), remove: () => removeFolder(path, unnamed) };
}

/** Removes a folder atomically for other processes: without the rename they might find a part of it. */
function removeFolder(path: string, unnamed: string): void {
  renameSync(path, unnamed);
  rmSync(unnamed, { recursive: true });
}

export function processFolderIn(dataFolder: string, instanceId: string): string {
  return join(processesIn(dataFolder), instanceId);
}

/** The ids of the processes that have a folder. */
export function listProcessFolders(dataFolder: string): readonly string[] {
  return namesIn(dataFolder).filter((name) => !name.startsWith(UNNAMED));
}

/**
 * Removes the folders of processes that ended before they had locked their folder, or while they removed it. No process may be starting.
 */
export function removeUnnamedFolders(dataFolder: string): void {
  const unnamed = namesIn(dataFolder).filter((name) => name.startsWith(UNNAMED));
  for (const name of unnamed) rmSync(join(processesIn(dataFolder), name), { recursive: true });
}

/** Locks the folder of an ended process. Undefined if the process is running. */
export function lockProcessFolder(dataFolder: string, instanceId: string): ProcessFolder | undefined {
  const path = processFolderIn(dataFolder, instanceId);
  try {
    const lock = lockFolder(path);
    return { path, release: () => lock.release() };
  } catch (error) {
    if (error instanceof FolderInUse) return undefined;
    throw error;
  }
}

/** The running processes, detected by the locks of their folders. */
export function findRunningProcesses(dataFolder: string): readonly RunningProcess[] {
  return listProcessFolders(dataFolder)
    .filter((id) => isRunning(dataFolder, id))
    .map((id) => toRunning(dataFolder, id));
}

export function isRunning(dataFolder: string, id: string): boolean {
  try {
    const ended = lockProcessFolder(dataFolder, id);
    ended?.release();
    return !ended;
  } catch (error) {
    // The process has ended, and its folder was removed.
    if (!existsSync(processFolderIn(dataFolder, id))) return false;
    throw error;
  }
}

export function toRunning(dataFolder: string, id: string): RunningProcess {
  const folder = processFolderIn(dataFolder, id);
  return { id, pid: readNumber(join(folder, PID_FILE)), port: readNumber(join(folder, PORT_FILE)) };
}

/** Undefined if the file contains no number above 0. */
function readNumber(path: string): number | undefined {
  try {
    const number = Number(readFileSync(path, "utf8"));
    return Number.isInteger(number) && number > 0 ? number : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(dataFolder: string): readonly string[] {
  try {
    return readdirSync(processesIn(dataFolder)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function processesIn(dataFolder: string): string {
  return join(dataFolder, "processes");
}
