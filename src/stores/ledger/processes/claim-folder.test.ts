import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderInUse } from "../../folder-lock.ts";
import { claimFolder, type ClaimedFolder, type ClaimOptions } from "./claim-folder.ts";
import { ProcessesRunning } from "./open-ledger.ts";
import { createProcessFolder, findRunningProcesses, isRunning, listProcessFolders, type OwnFolder } from "./process-folder.ts";
import type { JournalAuthority } from "./process-recovery.ts";

let dataFolder: string;
let closed: string[];
let opened: (ClaimedFolder | OwnFolder)[];

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), "tollgate-claim-"));
  closed = [];
  opened = [];
});
afterEach(() => {
  for (const each of opened) each.release();
  rmSync(dataFolder, { recursive: true });
});

/** An authority that knows every process and has applied all of its changes. */
const authority: JournalAuthority = {
  find: () => ({ state: "live", appliedSeq: 0 }),
  endedAmong: () => new Set(),
  join: () => Promise.resolve({ epoch: 1, state: "live", appliedSeq: 0, purses: [] }),
  ship: () => Promise.reject(new Error("nothing is shipped here")),
  lose: () => undefined,
  end: async (id) => void closed.push(id),
  forget: async () => undefined,
};

async function claim(more: Partial<ClaimOptions> = {}): Promise<ClaimedFolder> {
  const claimed = await claimFolder({ dataFolder, instanceId: "own", ...more }, authority);
  opened.push(claimed);
  return claimed;
}

function start(id: string): OwnFolder {
  const folder = createProcessFolder(dataFolder, id, 8080);
  opened.push(folder);
  return folder;
}

test("one start has the folder at a time", async () => {
  const first = await claim();
  const [second] = await Promise.allSettled([claim()]);
  expect(second).toMatchObject({ status: "rejected", reason: expect.any(FolderInUse) });
  first.release();
  await claim();
});

test("journals of processes that have ended are applied, at the start and whenever another has", async () => {
  start("a").release();
  const claimed = await claim({ isShared: true });
  expect([closed, listProcessFolders(dataFolder)]).toEqual([["a"], []]);
  const running = start("b");
  expect((await claimed.recoverProcesses()).running.map(({ id }) => id)).toEqual(["b"]);
  running.release();
  expect((await claimed.recoverProcesses()).ended).toEqual(["b"]);
  expect(closed).toEqual(["a", "b"]);
});

test("the folder of this process is not touched, and stays locked for others", async () => {
  const claimed = await claim({ isShared: true });
  start("own");
  expect(await claimed.recoverProcesses()).toEqual({ running: [], ended: [], failures: new Map() });
  const source = `import { isRunning } from ${JSON.stringify(join(import.meta.dir, "process-folder.ts"))};
    console.log(isRunning(${JSON.stringify(dataFolder)}, "own"));`;
  expect(Bun.spawnSync([process.execPath, "-e", source]).stdout.toString()).toBe("true\n");
});

test("a process that removes its folder has ended", async () => {
  const claimed = await claim({ isShared: true });
  const folder = start("a");
  expect(isRunning(dataFolder, "a")).toBe(true);
  folder.remove();
  expect([isRunning(dataFolder, "a"), findRunningProcesses(dataFolder), listProcessFolders(dataFolder)]).toEqual([false, [], []]);
  expect(await claimed.recoverProcesses()).toEqual({ running: [], ended: [], failures: new Map() });
});

test("processes of an earlier owner survive where this start has several, and end where it is to serve alone", async () => {
  const survivor = start("a");
  const owner = await claim({ isShared: true });
  expect(owner.survivors).toEqual([{ id: "a", pid: process.pid, port: 8080 }]);
  owner.release();
  const [alone] = await Promise.allSettled([claim({ endProcesses: async () => undefined })]);
  expect(alone).toMatchObject({ status: "rejected", reason: expect.any(ProcessesRunning) });
  await claim({ endProcesses: async ([running]) => (running!.id === "a" ? survivor.release() : undefined) });
  expect(closed).toEqual(["a"]);
});
