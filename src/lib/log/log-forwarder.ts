import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../ipc/ipc-service.ts";
import type { TextOutput } from "./log.ts";

const LOG_SERVICE = "log";
/** Above every pause of a slow reader: a text that is not written in time is lost. */
const WRITE_TIMEOUT_MS = 60_000;

/**
 * The log output of a gateway process: its pipe, which ends with the owner that started it. For a process that outlives that owner, the connection to the
 * next one. Text waits while no owner is there.
 */
export class LogForwarder implements ProcessService {
  readonly name = LOG_SERVICE;
  readonly #owner: IpcPeer;
  readonly #pipe: TextOutput;
  #isPipeClosed = false;
  #isConnected = Promise.withResolvers<void>();

  constructor(owner: IpcPeer, pipe: TextOutput) {
    this.#owner = owner;
    this.#pipe = pipe;
  }

  connected(): void {
    this.#isConnected.resolve();
  }

  disconnected(): void {
    this.#isConnected = Promise.withResolvers();
  }

  readonly output: TextOutput = async (text) => {
    if (!this.#isPipeClosed && (await this.#pipe(text))) return true;
    this.#isPipeClosed = true;
    await this.#isConnected.promise;
    try {
      return (await this.#owner.call(`${this.name}.write`, text, WRITE_TIMEOUT_MS)) === true;
    } catch {
      return false;
    }
  };
}

/** Writes the log of gateway processes that have outlived an earlier owner. The output must be shared by way of `serialOutput`. */
export function receiveLog(output: TextOutput): OwnerService {
  return { name: LOG_SERVICE, calls: { write: (_: ConnectedProcess, text: unknown) => output(text as string) } };
}
