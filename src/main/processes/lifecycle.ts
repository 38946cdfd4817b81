import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { sendSignal } from "./send-signal.ts";

const NAME = "lifecycle";

/** The owner's side of the start and the end of gateway processes. */
export function ownerLifecycle(listening: (processId: string) => void): OwnerService {
  return { name: NAME, notices: { listening: ({ id }: ConnectedProcess) => listening(id) } };
}

/** Tells the owner that this process serves requests. */
export function sayListening(owner: IpcPeer): void {
  owner.notify(`${NAME}.listening`, null);
}

/** The gateway process's side: what it does when the owner wants it to drain, or to end now. */
export function processLifecycle(handlers: { drain(): void; stop(): void }): ProcessService {
  return { name: NAME, notices: { drain: () => handlers.drain(), stop: () => handlers.stop() } };
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
