import { readFileSync } from "node:fs";

/** Ten thousand streams take two files each at a gateway. What this process may open, those that it starts may. */
const WANTED = 65_536;

export function raiseFileLimit(): void {
  const limit = `--nofile=${WANTED}:${WANTED}`;
  Bun.spawnSync(["prlimit", `--pid=${process.pid}`, limit], { stdout: "ignore", stderr: "ignore" });
}

/** How many files those that this process starts may have open. Where it may not raise its limit, that is what it was given. */
export function filesAllowed(): number {
  return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? WANTED);
}
