import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Whether this system has Linux's /proc, which describes processes. */
export const HAS_PROC = existsSync("/proc/self/fd") && existsSync("/proc/net/tcp");

/** The memory that a process uses now. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/** The maximum memory that the process has ever used. */
export function peakResidentBytes(pid: number): number {
  return statusBytes(pid, "VmHWM");
}

function statusBytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) * 1024;
}

export interface OpenSocket {
  readonly state: "established" | "close_wait" | "listen" | "other";
  readonly localPort: number;
  readonly remotePort: number;
}

export interface Descriptors {
  readonly total: number;
  /** The descriptors that are TCP connections or listeners. */
  readonly sockets: readonly OpenSocket[];
}

/** The open descriptors of a process. */
export function descriptorsOf(pid: number): Descriptors {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).flatMap((name) => readTarget(join(folder, name)));
  const table = tcpSockets(pid);
  const sockets = targets.flatMap((target) => table.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "") ?? []);
  return { total: targets.length, sockets };
}

/** The target of a descriptor; empty if it was closed meanwhile. */
function readTarget(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

const STATES: Readonly<Record<string, OpenSocket["state"]>> = { "01": "established", "08": "close_wait", "0A": "listen" };

/** Every TCP socket that a process can see, by inode. */
function tcpSockets(pid: number): Map<string, OpenSocket> {
  const sockets = new Map<string, OpenSocket>();
  const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n").slice(1));
  for (const line of lines) {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || state === undefined || inode === undefined) continue;
    sockets.set(inode, { state: STATES[state] ?? "other", localPort: portOf(local), remotePort: portOf(remote) });
  }
  return sockets;
}

/** The port of an address such as `0100007F:1F90`. */
function portOf(address: string): number {
  return Number.parseInt(address.split(":")[1]!, 16);
}
