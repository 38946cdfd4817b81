import { dlopen, ptr } from "bun:ffi";

const time = new BigInt64Array(2);
/** Loaded on demand: only Linux has a library of this name. */
let libc: ReturnType<typeof openLibc> | undefined;

function openLibc() {
  return dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } }).symbols;
}

/**
 * The CPU time of a process by its own clock, in nanoseconds: all threads, including ended ones. `/proc` has a resolution of 10 ms, which
 * is half of a short stream. The clock ID is derived from the process ID, as in `clock_getcpuclockid(3)`. Null if the process has ended.
 */
export function processCpuUs(pid: number): number | null {
  libc ??= openLibc();
  if (libc.clock_gettime((~pid << 3) | 2, ptr(time)) !== 0) return null;
  return Number(time[0]) * 1e6 + Number(time[1]) / 1e3;
}
