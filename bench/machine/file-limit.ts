import { readFileSync } from "node:fs";

/** Ten thousand streams need two files each at a gateway. Child processes inherit the limit. */
const WANTED = 65_536;

export function raiseFileLimit(): void {
  const limit = `--nofile=${WANTED}:${WANTED}`;
  Bun.spawnSync(["prlimit", `--pid=${process.pid}`, limit], { stdout: "ignore", stderr: "ignore" });
}

/** The file limit of child processes. Not raised if this process lacks the permission. */
export function filesAllowed(): number {
  return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? WANTED);
}
