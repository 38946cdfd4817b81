import { expect, test } from "bun:test";
import { HAS_PROC } from "../../test/streams/process-facts.ts";
import { treeOf } from "../machine/process-tree.ts";
import { targetAt, type RunningSystem } from "../systems/system.ts";
import { visit, type Visit } from "./visit.ts";

const loop = (count: number): string => `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); done`;
/** Works a little itself, and has a child that works ten times as much and ends. */
const OWNER = `read line; ${loop(50_000)}; sh -c '${loop(500_000)}'; echo done; sleep 60; true`;

async function visitTree(hasOwner: boolean): Promise<Visit> {
  const child = Bun.spawn(["sh", "-c", OWNER], { stdin: "pipe", stdout: "pipe" });
  const system: RunningSystem = { name: "tree", pid: child.pid, target: targetAt(1), stop: async () => {} };
  try {
    return await visit(hasOwner ? { ...system, ownerPid: child.pid } : system, process.pid, async () => {
      void child.stdin.write("go\n");
      await child.stdin.flush();
      await child.stdout.getReader().read();
      return { units: 100, wrong: 0, cpuUs: 5000, figures: {} };
    });
  } finally {
    for (const pid of treeOf(child.pid)) process.kill(pid, "SIGKILL");
    await child.exited;
  }
}

test.skipIf(!HAS_PROC)("counts the whole process tree, and the owner's part of it apart", async () => {
  const { cpuUs, ownerUs } = await visitTree(true);
  expect(ownerUs!).toBeGreaterThan(0);
  expect(ownerUs!).toBeLessThan(cpuUs! / 2);
});

test.skipIf(!HAS_PROC)("has no owner's part of a system without one, and counts the load's CPU time", async () => {
  const { cpuUs, ownerUs, loadUs } = await visitTree(false);
  expect([cpuUs! > 0, ownerUs]).toEqual([true, null]);
  expect(loadUs).toBeGreaterThanOrEqual(50);
});
