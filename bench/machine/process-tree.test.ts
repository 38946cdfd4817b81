import { expect, test } from "bun:test";
import { eventually } from "../../test/support/eventually.ts";
import { HAS_PROC } from "../../test/streams/process-facts.ts";
import { processCpuUs } from "./cpu-clock.ts";
import { isUp, treeCpuUs, treeOf } from "./process-tree.ts";

/** The system may report the CPU time of other threads a tick later. */
const TICK_US = 10_000;

/** Reads the CPU clock twice, and the CPU time that the system reports in between. */
function readClocks(): number[] {
  const before = processCpuUs(process.pid)!;
  const { user, system } = process.cpuUsage();
  return [before, user + system, processCpuUs(process.pid)!];
}

test.skipIf(!HAS_PROC)("reads the CPU time of a process as the system reports it", async () => {
  await eventually(readClocks, ([before, used, after]) => used! > before! - TICK_US && used! < after! + TICK_US);
});

test.skipIf(!HAS_PROC)("includes the CPU time of child processes, also of ended ones", async () => {
  const loop = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
  const child = Bun.spawn(["sh", "-c", `sh -c '${loop}'; echo done; sleep 60; true`], { stdout: "pipe" });
  try {
    await child.stdout.getReader().read();
    expect(processCpuUs(child.pid)!).toBeLessThan(treeCpuUs(child.pid) / 2);
    await eventually(
      () => treeOf(child.pid).length,
      (count) => count === 2,
    );
  } finally {
    for (const pid of treeOf(child.pid)) process.kill(pid, "SIGKILL");
    await child.exited;
  }
  expect([isUp(child.pid), processCpuUs(child.pid), treeCpuUs(child.pid)]).toEqual([false, null, 0]);
});
