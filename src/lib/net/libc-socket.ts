import { dlopen, ptr, read } from "bun:ffi";
import { chmodSync, closeSync, renameSync, rmSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import { firstPathOf } from "./unix-socket.ts";

/**
 * Calls the C library of Linux for unix sockets that Bun does not support: a listening socket on which this process does not accept
 * connections, and datagrams. glibc and musl both have this library name. A program such as `systemd-notify` could do the same, but may be
 * missing, for example in a container.
 */
const LIBRARY = "libc.so.6";
const { symbols: libc } = dlopen(LIBRARY, {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
  listen: { args: ["i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "usize", "i32", "ptr", "u32"], returns: "i64" },
  __errno_location: { args: [], returns: "ptr" },
});

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const BACKLOG = 511;

/**
 * Opens a listening unix socket for other processes. It atomically replaces the socket at this path, if any, so that there is always a
 * socket. Returns its non-blocking file descriptor: a connection wakes several processes, and only one of them accepts it.
 */
export function listenForOthers(path: string, mode: number): number {
  const descriptor = check("socket", libc.socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const next = firstPathOf(path);
  const address = addressOf(next);
  // The umask prevents other users from connecting before the file has its mode.
  const umask = process.umask(0o177);
  try {
    // Removes the file of a process that was killed at this point.
    rmSync(next, { force: true });
    check("bind", libc.bind(descriptor, ptr(address), address.length));
    check("listen", libc.listen(descriptor, BACKLOG));
    chmodSync(next, mode);
    renameSync(next, path);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    process.umask(umask);
  }
}

/** Sends a datagram to a unix socket: to a path, or to an abstract name, which starts with `@`. */
export function sendDatagram(to: string, text: string): void {
  const descriptor = check("socket", libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const [bytes, address] = [Buffer.from(text), addressOf(to)];
  try {
    check("sendto", Number(libc.sendto(descriptor, ptr(bytes), bytes.length, MSG_NOSIGNAL, ptr(address), address.length)));
  } finally {
    closeSync(descriptor);
  }
}

/** `sockaddr_un`. An abstract name starts with a zero byte, and ends where the address ends. */
function addressOf(name: string): Buffer {
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return Buffer.concat([family, Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`)]);
}

function check(call: string, result: number): number {
  if (result >= 0) return result;
  // Reads `errno`, which is a macro in C.
  const code = getSystemErrorName(-read.i32(libc["__errno_location"]()!));
  throw Object.assign(new Error(`${call} failed: ${code}`), { code });
}
