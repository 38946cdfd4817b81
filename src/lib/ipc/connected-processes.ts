import type { ConnectedProcess } from "./ipc-service.ts";

/** How long a reader waits for the reports of gateway processes. A process that hangs delays the reader by no more than this. */
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

  /** Asks every process to send its unsent data. Resolves when all have done so, or after half a second. */
  async collect(method: string): Promise<void> {
    await Promise.allSettled(this.#processes.values().map((process) => process.call(method, null, COLLECT_TIMEOUT_MS)));
  }
}
