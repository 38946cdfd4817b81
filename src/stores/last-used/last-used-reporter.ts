import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { Reporter } from "../../lib/ipc/reporter.ts";
import type { KeyUses, LastUsedRecorder } from "./last-used-store.ts";
import { PendingUses } from "./pending-uses.ts";

export const LAST_USED_SERVICE = "last-used";

/** The uses of each key since the last report. */
export type LastUsedReport = readonly (readonly [
  keyId: string,
  lastUsedAtMs: number,
  models: readonly (readonly [model: string, lastUsedAtMs: number, requests: number])[],
])[];

/** Last-used times in a gateway process, which reports them to the owner. */
export class LastUsedReporter implements LastUsedRecorder {
  readonly service: Reporter;
  readonly #unreported = new PendingUses();

  constructor(owner: IpcPeer) {
    this.service = new Reporter({ name: LAST_USED_SERVICE, owner, take: () => this.#take() });
  }

  noteKey(keyId: string, atMs: number): void {
    this.#unreported.noteKey(keyId, atMs);
  }

  noteModel(keyId: string, model: string, atMs: number): void {
    this.#unreported.noteModel(keyId, model, atMs);
  }

  #take(): LastUsedReport | undefined {
    if (this.#unreported.size === 0) return undefined;
    return this.#unreported
      .take(this.#unreported.size)
      .map(([keyId, { lastUsedAtMs, models }]) => [keyId, lastUsedAtMs, modelUsesOf(models)]);
  }
}

function modelUsesOf(models: KeyUses["models"]): LastUsedReport[number][2] {
  return models
    .entries()
    .map(([model, use]) => [model, use.lastUsedAtMs, use.requests] as const)
    .toArray();
}
