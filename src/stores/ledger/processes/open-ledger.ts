import type { Database as SqliteFile } from "bun:sqlite";
import { EmbeddedLedgerStore } from "../embedded-ledger-store.ts";
import type { LedgerOptions } from "../ledger-database.ts";
import { EmbeddedAuthority } from "../leases/embedded-authority.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { listProcessFolders, removeUnnamedFolders, type RunningProcess } from "./process-folder.ts";
import { ProcessRecovery, type FolderProcesses } from "./process-recovery.ts";

/** The ledger of an owner process, which gateway processes share. */
export interface SharedLedger extends FolderProcesses {
  /** Nothing is leased before the survivors have stated their leases, or have ended. */
  readonly authority: EmbeddedAuthority;
}

/** Gateway processes of an earlier owner are still running, but this start is to serve alone. */
export class ProcessesRunning extends Error {
  override name = "ProcessesRunning";
  readonly running: readonly RunningProcess[];

  constructor(dataFolder: string, running: readonly RunningProcess[]) {
    const which = running.map(({ id, pid }) => (pid === undefined ? id : `${id} (pid ${pid})`)).join(", ");
    super(`gateway processes of an earlier owner still use the data in ${dataFolder}: ${which}`);
    this.running = running;
  }
}

export interface OpenLedgerOptions extends LedgerOptions {
  readonly dataFolder: string;
  readonly capsOf: CapsOf;
}

/**
 * Opens the ledger, and applies the journals of ended gateway processes. A process that serves alone needs an authority only if there are
 * such processes, because their owner was killed; it throws `ProcessesRunning` if some of them are still running. Throws
 * `CannotRecoverProcess`.
 */
export async function openLedger(
  file: SqliteFile,
  options: OpenLedgerOptions,
): Promise<{ readonly ledger: EmbeddedLedgerStore; readonly shared: SharedLedger | undefined }> {
  const { dataFolder, isShared = false } = options;
  removeUnnamedFolders(dataFolder);
  if (!isShared && listProcessFolders(dataFolder).length === 0) {
    return { ledger: new EmbeddedLedgerStore(file, options), shared: undefined };
  }
  const ledger = new EmbeddedLedgerStore(file, { ...options, isShared: true });
  try {
    const shared = await startAuthority(ledger, options);
    if (isShared) ledger.share(shared.authority);
    else if (shared.survivors.length > 0) throw new ProcessesRunning(dataFolder, shared.survivors);
    return { ledger, shared: isShared ? shared : undefined };
  } catch (error) {
    await ledger.close().catch(() => undefined);
    throw error;
  }
}

async function startAuthority(ledger: EmbeddedLedgerStore, { dataFolder, capsOf }: OpenLedgerOptions): Promise<SharedLedger> {
  const authority = new EmbeddedAuthority(ledger, capsOf);
  const recovery = new ProcessRecovery(dataFolder, authority);
  const { running: survivors, failures } = await recovery.run();
  for (const failure of failures.values()) throw failure;
  await endWithoutFolder(
    authority,
    survivors.map(({ id }) => id),
  );
  authority.start(survivors.map(({ id }) => id));
  return { authority, survivors, recoverProcesses: () => recovery.run() };
}

/**
 * Ends instances without a folder. The data folder may be a restored backup, which has no journals of processes: their holds are closed,
 * like the holds of a single process.
 */
async function endWithoutFolder(authority: EmbeddedAuthority, running: readonly string[]): Promise<void> {
  for (const { id, state } of authority.instances()) {
    if (!running.includes(id) && (state === "live" || state === "lost")) await authority.end(id);
  }
  await authority.forgetClosed();
}
