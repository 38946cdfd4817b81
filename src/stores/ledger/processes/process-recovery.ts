import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../journal/create-journal.ts";
import { JournalDamaged, readProcessJournal } from "../journal/process-journal.ts";
import type { EmbeddedAuthority } from "../leases/embedded-authority.ts";
import { listProcessFolders, lockProcessFolder, toRunning, type ProcessFolder, type RunningProcess } from "./process-folder.ts";

/** In one transaction: the event loop is blocked meanwhile. */
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

/** Brings what ended gateway processes have left in their journals into the ledger. */
export class ProcessRecovery {
  readonly #dataFolder: string;
  readonly #authority: EmbeddedAuthority;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataFolder: string, authority: EmbeddedAuthority) {
    this.#dataFolder = dataFolder;
    this.#authority = authority;
  }

  /**
   * Applies the journals of all processes that have ended, closes their holds, returns their leases, and removes their folders. Resolves with the
   * processes that run. The owner may be killed at any point: the next call continues. Throws `CannotRecoverProcess`; the leases stay then.
   */
  run(): Promise<readonly RunningProcess[]> {
    // One at a time: a second call would take the folders that the first one has locked for those of running processes.
    const running = this.#last.then(() => this.#recoverAll());
    this.#last = running.catch(() => undefined);
    return running;
  }

  async #recoverAll(): Promise<readonly RunningProcess[]> {
    const running: RunningProcess[] = [];
    for (const instanceId of listProcessFolders(this.#dataFolder)) {
      const folder = lockProcessFolder(this.#dataFolder, instanceId);
      if (folder) await this.#recover(instanceId, folder);
      else running.push(toRunning(this.#dataFolder, instanceId));
    }
    return running;
  }

  async #recover(instanceId: string, folder: ProcessFolder): Promise<void> {
    try {
      if (this.#authority.find(instanceId)?.state !== "closed") await this.#applyJournal(instanceId, folder.path);
      // The order matters. A folder that is still there after the end of its instance is removed by the next call, and one that came back after
      // its instance was forgotten would be applied again.
      rmSync(folder.path, { recursive: true });
      syncFolder(dirname(folder.path));
    } finally {
      folder.release();
    }
    await this.#authority.forget(instanceId);
  }

  async #applyJournal(instanceId: string, path: string): Promise<void> {
    const { epoch, appliedSeq } = await this.#authority.join(instanceId);
    const changes = readChanges(instanceId, path, appliedSeq);
    for (const change of changes) {
      if (change.kind !== "hold" || !this.#authority.hasEnded(change.requestId)) continue;
      throw new CannotRecoverProcess(instanceId, new JournalDamaged(path, `the ledger has the request ${change.requestId} already`));
    }
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      await this.#authority.ship({ instanceId, epoch, changes: changes.slice(at, at + CHANGES_AT_ONCE), progress: new Map() });
    }
    await this.#authority.end(instanceId);
  }
}

function readChanges(instanceId: string, path: string, appliedSeq: number): ReturnType<typeof readProcessJournal> {
  try {
    return readProcessJournal(path, appliedSeq);
  } catch (error) {
    throw error instanceof JournalDamaged ? new CannotRecoverProcess(instanceId, error) : error;
  }
}
