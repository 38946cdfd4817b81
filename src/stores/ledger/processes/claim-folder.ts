import { lockFolder, PROBE_WAIT_MS } from "../../folder-lock.ts";
import { ProcessesRunning } from "./open-ledger.ts";
import { findRunningProcesses, removeUnnamedFolders, type RunningProcess } from "./process-folder.ts";
import { ProcessRecovery, type FolderProcesses, type JournalAuthority } from "./process-recovery.ts";

export interface ClaimOptions {
  readonly dataFolder: string;
  /** The id of this process, which has a journal in the folder too. */
  readonly instanceId: string;
  /** Whether this process starts gateway processes. */
  readonly isShared?: boolean;
  /** Ends the gateway processes of an earlier owner that was killed, if this process is to serve alone. */
  readonly endProcesses?: (running: readonly RunningProcess[]) => Promise<void>;
}

/** A data folder that this start has locked, with the journals of its processes. */
export interface ClaimedFolder extends FolderProcesses {
  release(): void;
}

/**
 * For a start whose records are in a database: locks the data folder, and applies the journals of processes that have ended in it. Throws
 * `FolderInUse`, `CannotRecoverProcess`, and `ProcessesRunning` if gateway processes of an earlier owner do not end.
 */
export async function claimFolder(options: ClaimOptions, authority: JournalAuthority): Promise<ClaimedFolder> {
  const { dataFolder, instanceId, isShared = false, endProcesses } = options;
  const lock = lockFolder(dataFolder, PROBE_WAIT_MS);
  try {
    const running = isShared ? [] : findRunningProcesses(dataFolder);
    if (running.length > 0) await endProcesses?.(running);
    removeUnnamedFolders(dataFolder);
    const recovery = new ProcessRecovery(dataFolder, authority, instanceId);
    const { running: survivors, failures } = await recovery.run();
    for (const failure of failures.values()) throw failure;
    if (!isShared && survivors.length > 0) throw new ProcessesRunning(dataFolder, survivors);
    return { survivors, recoverProcesses: () => recovery.run(), release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}
