import { ConnectedProcesses } from "./connected-processes.ts";
import type { ConnectedProcess, OwnerService } from "./ipc-service.ts";

interface ReportsOptions {
  readonly name: string;
  readonly receive: (processId: string, report: unknown) => void;
  /** Called when a process is no longer connected. */
  readonly disconnected?: (processId: string) => void;
  readonly ended?: (processId: string) => void;
}

/** The owner's side of a `Reporter`. */
export class Reports implements OwnerService {
  readonly name: string;
  readonly notices = { report: (from: ConnectedProcess, report: unknown) => this.#options.receive(from.id, report) };
  readonly #options: ReportsOptions;
  readonly #processes = new ConnectedProcesses();

  constructor(options: ReportsOptions) {
    this.name = options.name;
    this.#options = options;
  }

  connected(process: ConnectedProcess): void {
    this.#processes.add(process);
  }

  disconnected(processId: string): void {
    this.#processes.remove(processId);
    this.#options.disconnected?.(processId);
  }

  ended(processId: string): void {
    this.#options.ended?.(processId);
  }

  /** Resolves when every connected process has reported, or after half a second. */
  collect(): Promise<void> {
    return this.#processes.collect(`${this.name}.collect`);
  }
}
