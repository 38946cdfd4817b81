/** Ten thousand streams take two files each at a gateway. What this process may open, those that it starts may. */
const WANTED = 65_536;

export function raiseFileLimit(): void {
  const limit = `--nofile=${WANTED}:${WANTED}`;
  Bun.spawnSync(["prlimit", `--pid=${process.pid}`, limit], { stdout: "ignore", stderr: "ignore" });
}
