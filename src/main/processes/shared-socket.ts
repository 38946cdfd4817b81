import { closeSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { notListening } from "../../lib/http1/server/listen-error.ts";
import { firstPathOf, isListening } from "../../lib/net/unix-socket.ts";
import type { RunningProcess } from "../../stores/ledger/processes/process-folder.ts";

/** The file descriptor of the socket in a gateway process, after stdin, stdout and stderr. */
export const INHERITED_DESCRIPTOR = 3;

/** The column in the kernel's list of unix sockets. */
const INODE_COLUMN = 6;

/**
 * The unix socket of the gateway. The owner process opens it, and the gateway processes accept connections on it. The kernel does not
 * distribute connections over several sockets with one path, as it does for a port.
 */
export interface SharedSocket {
  /** Identifies the socket: after each start of an owner process, the path belongs to a different socket. */
  readonly id: string;
  readonly descriptor: number;
  /** Closes the socket: no client can connect any more. */
  close(): void;
}

/**
 * Opens the socket. The gateway processes of an earlier owner that was killed have another socket at this path, which is replaced.
 * Connections wait in the new socket until a process of this owner accepts them. Throws like a listener if another program listens there.
 */
export async function openSharedSocket(
  { path, mode }: { readonly path: string; readonly mode: number },
  survivors: readonly RunningProcess[],
): Promise<SharedSocket> {
  try {
    const problem = await problemOf(path, survivors);
    if (problem !== undefined) throw Object.assign(new Error(), { code: problem });
    // Loaded lazily: it needs the C library of Linux.
    const { listenForOthers } = await import("../../lib/net/libc-socket.ts");
    const descriptor = listenForOthers(path, mode);
    return { id: Bun.randomUUIDv7(), descriptor, close: once(() => closeSocket(path, descriptor)) };
  } catch (error) {
    throw notListening(error, path);
  }
}

async function problemOf(path: string, survivors: readonly RunningProcess[]): Promise<string | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isSocket()) return "ENOTSOCK";
  if (!(await isListening(path)) || survivors.some(({ pid }) => pid !== undefined && holdsSocket(pid, path))) return undefined;
  return "EADDRINUSE";
}

/** Whether a process has an open socket that an owner process has created at this path. */
function holdsSocket(pid: number, path: string): boolean {
  const bound = ` ${firstPathOf(path)}`;
  const lines = readFileSync("/proc/self/net/unix", "utf8").split("\n");
  const inodes = lines.filter((line) => line.endsWith(bound)).map((line) => line.split(/\s+/)[INODE_COLUMN]);
  const open = openFilesOf(pid);
  return inodes.some((inode) => open.has(`socket:[${inode}]`));
}

function openFilesOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = undefinedOnError(() => readdirSync(folder)) ?? [];
  return new Set(descriptors.flatMap((descriptor) => undefinedOnError(() => readlinkSync(join(folder, descriptor))) ?? []));
}

/** A process may end, or close a file, while its files are listed. */
function undefinedOnError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function closeSocket(path: string, descriptor: number): void {
  rmSync(path, { force: true });
  closeSync(descriptor);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
