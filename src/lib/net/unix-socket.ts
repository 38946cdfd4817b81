import { lstatSync, rmSync } from "node:fs";

/** The length of `sun_path` in Linux, without its terminating zero. */
export const MAX_SOCKET_PATH_BYTES = 107;

/** The path that a socket has before it replaces the one at `path`. The kernel lists it under this path for as long as it is open. */
export function firstPathOf(path: string): string {
  return `${path}.new`;
}

/** Removes a socket that a process that was killed has left behind. Where another program listens on it, it stays, and so does another file. */
export async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() && !(await isListening(path))) rmSync(path, { force: true });
}

/** Whether a program listens on a unix socket. */
export async function isListening(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data: () => undefined, connectError: () => undefined } });
    socket.terminate();
    return true;
  } catch (error) {
    // Otherwise it is unknown: its queue is full, or this user may not connect to it.
    return !["ECONNREFUSED", "ENOENT"].includes(String((error as NodeJS.ErrnoException).code));
  }
}
