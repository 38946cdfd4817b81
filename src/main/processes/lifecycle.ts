import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { sendSignal } from "./send-signal.ts";

const NAME = "lifecycle";

/** A process that does not confirm it by then learns it at its next connection. */
const STARTED_TIMEOUT_MS = 1000;

/** The owner's side of the start and the end of gateway processes. */
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

  /** The owner's own listener is open: all processes are ready when this resolves. */
  async started(processes: readonly ConnectedProcess[]): Promise<void> {
    this.#isStarting = false;
    await Promise.allSettled(processes.map((each) => each.call(`${NAME}.started`, null, STARTED_TIMEOUT_MS)));
  }
}

/** Tells the owner that this process serves requests. */
export function sayListening(owner: IpcPeer): void {
  owner.notify(`${NAME}.listening`, null);
}

/** The gateway process's side: what it does when the owner wants it to drain, or to end now. */
export class ProcessLifecycle implements ProcessService {
  readonly name = NAME;
  readonly notices: NonNullable<ProcessService["notices"]>;
  readonly calls = { started: () => void (this.#isStarting = false) };
  #isStarting = true;

  constructor(handlers: { drain(): void; stop(): void }) {
    this.notices = { drain: () => handlers.drain(), stop: () => handlers.stop() };
  }

  /** Whether the owner has not opened its listener since this process was started. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** A new owner that is starting does not make a process unready that was ready before. */
  connected(initial: unknown): void {
    if (!(initial as { isStarting: boolean }).isStarting) this.#isStarting = false;
  }
}

/** Tells a process to accept no more connections, and to end when its requests have. Where it is not connected, a signal tells it. */
export function tellDrain(process: IpcPeer | undefined, pid: number | undefined): void {
  if (process) process.notify(`${NAME}.drain`, null);
  else sendSignal(pid, "SIGTERM");
}

/** Tells a process to end now. Where it is not connected, it finishes its requests, for as long as it may take to stop. */
export function tellStop(process: IpcPeer | undefined, pid: number | undefined): void {
  if (process) process.notify(`${NAME}.stop`, null);
  else sendSignal(pid, "SIGTERM");
}
