import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../journal/create-journal.ts";
import { JournalDamaged, readProcessJournal } from "../journal/process-journal.ts";
import type { Authority } from "../leases/authority.ts";
import type { Instance } from "../leases/instance.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import {
  listProcessFolders,
  lockProcessFolder,
  processFolderIn,
  toRunning,
  type ProcessFolder,
  type RunningProcess,
} from "./process-folder.ts";

/** The maximum number of changes in one transaction, which blocks the event loop. */
const CHANGES_AT_ONCE = 1000;

/** The journal of a process that has ended is damaged: the charges in it would be lost. */
export class CannotRecoverProcess extends Error {
  override name = "CannotRecoverProcess";
  readonly instanceId: string;
  readonly damage: JournalDamaged;

  constructor(instanceId: string, damage: JournalDamaged) {
    super(`the journal of the gateway process ${instanceId}, which has ended, cannot be applied: ${damage.message}`);
    this.instanceId = instanceId;
    this.damage = damage;
  }
}

/** The result of recovering the processes that have a folder. */
export interface RecoveryResult {
  readonly running: readonly RunningProcess[];
  /** The ended processes whose journals are now in the ledger. */
  readonly ended: readonly string[];
  /**
   * The reasons why the journals of other processes could not be applied: `CannotRecoverProcess` if a journal is damaged. Their leases
   * stay.
   */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** The gateway processes of a data folder, for the process that starts them. */
export interface FolderProcesses {
  /** The processes that have outlived the previous owner. */
  readonly survivors: readonly RunningProcess[];
  /** Applies the journals of ended gateway processes. Call this whenever a process has ended. */
  recoverProcesses(): Promise<RecoveryResult>;
}

type MaybePromise<Result> = Result | Promise<Result>;

/** The authority that journals of ended processes are applied to. */
export interface JournalAuthority extends Pick<Authority, "join" | "ship"> {
  find(instanceId: string): MaybePromise<Pick<Instance, "state" | "appliedSeq"> | undefined>;
  /** The requests, of these, that are in the ledger and whose hold is closed. */
  endedAmong(requestIds: readonly string[]): MaybePromise<ReadonlySet<string>>;
  /** A journal could not be applied completely. */
  lose(instanceId: string): MaybePromise<void>;
  /** The journal is applied: closes the open holds of its process, and returns its leases. */
  end(instanceId: string, state: "closed"): Promise<unknown>;
  /** The folder is removed, so its id cannot come back. */
  forget(instanceId: string): Promise<void>;
}

/** Applies the journals of ended gateway processes to the ledger. */
export class ProcessRecovery {
  readonly #dataFolder: string;
  readonly #authority: JournalAuthority;
  readonly #ownId: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `ownId`: the id of this process, if it has a folder too. A second lock in the same process would release the first. */
  constructor(dataFolder: string, authority: JournalAuthority, ownId?: string) {
    this.#dataFolder = dataFolder;
    this.#authority = authority;
    this.#ownId = ownId;
  }

  /**
   * Applies the journals of all ended processes, closes their holds, returns their leases, and removes their folders. A journal that cannot
   * be applied does not prevent this for the others. The owner may be killed at any point: the next call continues.
   */
  run(): Promise<RecoveryResult> {
    // One run at a time: a second run would mistake the folders that the first run has locked for folders of running processes.
    const recovered = this.#last.then(() => this.#recoverAll());
    this.#last = recovered.catch(() => undefined);
    return recovered;
  }

  async #recoverAll(): Promise<RecoveryResult> {
    const running: RunningProcess[] = [];
    const ended: string[] = [];
    const failures = new Map<string, unknown>();
    for (const instanceId of listProcessFolders(this.#dataFolder)) {
      if (instanceId === this.#ownId) continue;
      try {
        const folder = lockProcessFolder(this.#dataFolder, instanceId);
        if (!folder) {
          running.push(toRunning(this.#dataFolder, instanceId));
          continue;
        }
        await this.#recover(instanceId, folder);
        ended.push(instanceId);
      } catch (error) {
        // A process that shares a database removes its own folder when it ends.
        if (existsSync(processFolderIn(this.#dataFolder, instanceId))) failures.set(instanceId, error);
      }
    }
    return { running, ended, failures };
  }

  async #recover(instanceId: string, folder: ProcessFolder): Promise<void> {
    try {
      if ((await this.#authority.find(instanceId))?.state !== "closed") await this.#applyJournal(instanceId, folder.path);
      // The order matters. If the folder is still there after its instance was ended, the next call removes it. If the folder came back
      // after its instance was forgotten, it would be applied again.
      rmSync(folder.path, { recursive: true });
      syncFolder(dirname(folder.path));
    } finally {
      folder.release();
    }
    await this.#authority.forget(instanceId);
  }

  /** Applies a journal. Reads it before joining: an instance that has joined counts as live, and its leases as recallable. */
  async #applyJournal(instanceId: string, path: string): Promise<void> {
    const appliedSeq = (await this.#authority.find(instanceId))?.appliedSeq ?? 0;
    const changes = readUnapplied({ instanceId, path, appliedSeq });
    refuseKnown(instanceId, path, changes, await this.#authority.endedAmong(requestsOf(changes)));
    try {
      await this.#ship(instanceId, changes);
    } catch (error) {
      await this.#authority.lose(instanceId);
      throw error;
    }
    await this.#authority.end(instanceId, "closed");
  }

  async #ship(instanceId: string, changes: readonly ProcessChange[]): Promise<void> {
    const { epoch } = await this.#authority.join(instanceId);
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      await this.#authority.ship({ instanceId, epoch, changes: changes.slice(at, at + CHANGES_AT_ONCE), progress: new Map() });
    }
  }
}

interface JournalOfProcess {
  readonly instanceId: string;
  readonly path: string;
  /** The number of the last change of the process in the ledger. */
  readonly appliedSeq: number;
}

/** The changes of an ended process that are not in the ledger yet. Throws `CannotRecoverProcess`. */
export function readUnapplied({ instanceId, path, appliedSeq }: JournalOfProcess): readonly ProcessChange[] {
  try {
    return readProcessJournal(path, appliedSeq);
  } catch (error) {
    throw error instanceof JournalDamaged ? new CannotRecoverProcess(instanceId, error) : error;
  }
}

/** The requests for which changes hold credit. */
export function requestsOf(changes: readonly ProcessChange[]): readonly string[] {
  return changes.flatMap((change) => (change.kind === "hold" ? [change.requestId] : []));
}

/** Throws `CannotRecoverProcess` if the ledger already has the end of a request whose hold is not applied. */
export function refuseKnown(instanceId: string, path: string, changes: readonly ProcessChange[], ended: ReadonlySet<string>): void {
  const known = requestsOf(changes).find((requestId) => ended.has(requestId));
  if (known === undefined) return;
  throw new CannotRecoverProcess(instanceId, new JournalDamaged(path, `the ledger has the request ${known} already`));
}
