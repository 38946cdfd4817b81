import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { sendSignal } from "./send-signal.ts";

const NAME = "lifecycle";

/** How long the owner waits for confirmations. A process that does not confirm in time gets the state at its next connection. */
const STARTED_TIMEOUT_MS = 1000;

/** The owner's side of starting and ending gateway processes. */
export class OwnerLifecycle implements OwnerService {
  readonly name = NAME;
  readonly notices: NonNullable<OwnerService["notices"]>;
  #isStarting = true;

  constructor(listening: (processId: string) => void) {
    this.notices = { listening: ({ id }) => listening(id) };
  }

  connected(): { isStarting: boolean } {
    return { isStarting: this.#isStarting };
  }

  /** Called when the owner's listener is open. All processes are ready when this resolves. */
  async started(processes: readonly ConnectedProcess[]): Promise<void> {
    this.#isStarting = false;
    await Promise.allSettled(processes.map((each) => each.call(`${NAME}.started`, null, STARTED_TIMEOUT_MS)));
  }
}

/** Tells the owner that this process serves requests. */
export function reportListening(owner: IpcPeer): void {
  owner.notify(`${NAME}.listening`, null);
}

/** The gateway process's side: handles the owner's commands to drain or to end now. */
export class ProcessLifecycle implements ProcessService {
  readonly name = NAME;
  readonly notices: NonNullable<ProcessService["notices"]>;
  readonly calls = { started: () => void (this.#isStarting = false) };
  #isStarting = true;

  constructor(handlers: { drain(): void; stop(): void }) {
    this.notices = { drain: () => handlers.drain(), stop: () => handlers.stop() };
  }

  /** Whether the owner has not yet opened its listener since this process was started. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** A new owner that is still starting does not make a ready process unready. */
  connected(initial: unknown): void {
    if (!(initial as { isStarting: boolean }).isStarting) this.#isStarting = false;
  }
}

/** Tells a process to stop accepting connections, and to end when its requests have ended. If it is not connected, it is sent a signal. */
export function requestDrain(process: IpcPeer | undefined, pid: number | undefined): void {
  if (process) process.notify(`${NAME}.drain`, null);
  else sendSignal(pid, "SIGTERM");
}

/** Tells a process to end now. If it is not connected, it is sent a signal, and finishes its requests within the drain timeout. */
export function requestStop(process: IpcPeer | undefined, pid: number | undefined): void {
  if (process) process.notify(`${NAME}.stop`, null);
  else sendSignal(pid, "SIGTERM");
}
