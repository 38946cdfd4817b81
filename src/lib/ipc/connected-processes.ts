import type { ConnectedProcess } from "./ipc-service.ts";

/** How long a reader waits for the news of gateway processes. One that hangs delays it no further. */
const COLLECT_TIMEOUT_MS = 500;

/** The gateway processes that are connected to a service of the owner. */
export class ConnectedProcesses {
  readonly #processes = new Map<string, ConnectedProcess>();

  add(process: ConnectedProcess): void {
    this.#processes.set(process.id, process);
  }

  remove(processId: string): void {
    this.#processes.delete(processId);
  }

  /** Has every process send what it has not sent yet. Resolves when all have, or after half a second. */
  async collect(method: string): Promise<void> {
    await Promise.allSettled(this.#processes.values().map((process) => process.call(method, null, COLLECT_TIMEOUT_MS)));
  }
}
