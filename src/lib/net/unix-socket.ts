import { lstatSync, rmSync } from "node:fs";

/** The length of `sun_path` in Linux, without its terminating zero. */
export const MAX_SOCKET_PATH_BYTES = 107;

/**
 * The temporary path of a socket before it replaces the socket at `path`. The kernel lists the socket under the temporary path while it is
 * open.
 */
export function firstPathOf(path: string): string {
  return `${path}.new`;
}

/**
 * Removes a socket file that a killed process has left behind. The file stays if another program listens on it, or if it is not a socket.
 */
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
    // Otherwise, it is unknown whether a program listens: the queue may be full, or this user may not be allowed to connect.
    return !["ECONNREFUSED", "ENOENT"].includes(String((error as NodeJS.ErrnoException).code));
  }
}
