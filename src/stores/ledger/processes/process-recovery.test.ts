import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Database as SqliteFile } from "bun:sqlite";
import { eventually } from "../../../../test/support/eventually.ts";
import { STORE_OPTIONS } from "../../../../test/support/gateway/store-options.ts";
import { grant, hold as sampleHold, NOW, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import type { Purse } from "../../../money/purse.ts";
import { openStores } from "../../open-stores.ts";
import type { Stores } from "../../stores.ts";
import { recoverFolder } from "../../recover-folder.ts";
import { LeasedLedgerStore } from "../leases/leased-ledger-store.ts";
import { createProcessFolder, findRunningProcesses, type ProcessFolder } from "./process-folder.ts";

const ACCOUNT: Purse = { scope: "account", id: "acme" };

interface StartedProcess {
  readonly id: string;
  readonly store: LeasedLedgerStore;
  readonly folder: ProcessFolder;
}

let dataFolder: string;
let owner: Stores;
let processes: StartedProcess[];
/** All data folders of a test. */
let copies: string[];

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "tollgate-processes-"));
  processes = [];
  copies = [dataFolder];
  owner = await openStores({ ...STORE_OPTIONS, dataFolder, isShared: true });
  await owner.ledgerRecords.addCredit(grant(1000n));
});
afterEach(async () => {
  await closeAll();
  for (const folder of copies) rmSync(folder, { recursive: true });
});

async function start(id: string): Promise<LeasedLedgerStore> {
  const folder = createProcessFolder(dataFolder, id, 8080);
  const { authority } = owner.sharedLedger!;
  const store = new LeasedLedgerStore({
    instanceId: id,
    authority,
    folder: folder.path,
    durability: "process",
    monotonicMs: () => performance.now(),
    report: () => undefined,
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: () => undefined,
  });
  await store.start();
  authority.connect(id, store);
  processes.push({ id, store, folder });
  return store;
}

/** Serves a request with a hold of 100 and this cost, and leaves another request in flight. */
async function serve(store: LeasedLedgerStore, name: string, cost: bigint): Promise<void> {
  await store.widen([ACCOUNT], 200n);
  await store.hold(sampleHold(`${name}-served`, 100n));
  await store.hold(sampleHold(`${name}-open`, 100n));
  await store.settle(`${name}-served`, settlement(cost));
}

/** Kills all processes: only the files on the disk at this moment remain. `change` changes these files. */
async function crash(options: { readonly isShared: boolean; readonly change?: (folder: string) => unknown }): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "tollgate-processes-"));
  copies.push(copy);
  cpSync(dataFolder, copy, { recursive: true });
  await options.change?.(copy);
  const next = await openStores({ ...STORE_OPTIONS, dataFolder: copy, isShared: options.isShared });
  await closeAll();
  [dataFolder, owner] = [copy, next];
}

async function closeAll(): Promise<void> {
  for (const { store, folder } of processes.splice(0)) {
    await store.close();
    folder.release();
  }
  await owner.close();
}

function bringBack(folder: string): void {
  cpSync(join(folder, "kept"), join(folder, "processes"), { recursive: true });
}

function damageJournal(folder: string): void {
  const path = join(folder, "processes", "p1", "segment-1");
  const bytes = readFileSync(path);
  bytes[84]! ^= 1;
  writeFileSync(path, bytes);
}

const folders = (): string[] => readdirSync(join(dataFolder, "processes"));

test("a folder is locked from the moment that it has its name, and says which process has it", async () => {
  await start("p1");
  expect(findRunningProcesses(dataFolder)).toEqual([{ id: "p1", pid: process.pid, port: 8080 }]);
  const { store, folder } = processes.pop()!;
  await store.close();
  folder.release();
  expect(findRunningProcesses(dataFolder)).toEqual([]);
});

test("the journal of a process that has ended is applied, its holds are closed, and its folder is removed", async () => {
  const [one, two] = [await start("p1"), await start("p2")];
  await serve(one, "one", 70n);
  const { store, folder } = processes.shift()!;
  store.disconnected();
  cpSync(folder.path, join(dataFolder, "kept"), { recursive: true });
  await store.close();
  folder.release();
  expect(await owner.sharedLedger!.recoverProcesses()).toEqual({
    running: [{ id: "p2", pid: process.pid, port: 8080 }],
    ended: ["p1"],
    failures: new Map(),
  });
  expect([owner.ledger.balanceOf("acme"), folders()]).toMatchObject([{ creditNanos: 930n, heldNanos: 0n }, ["p2"]]);
  expect(owner.sharedLedger!.authority.instances().map(({ id }) => id)).toEqual(["p2"]);
  await two.widen([ACCOUNT], 930n);
  expect(two.availableOf(ACCOUNT)).toBe(930n);
});

test("N lowered from 4 to 2 with two journals left, and then to a single process", async () => {
  const all = [await start("p1"), await start("p2"), await start("p3"), await start("p4")];
  await Promise.all(all.map((store, index) => serve(store, `r${index}`, 10n)));
  await crash({ isShared: true });
  expect([owner.sharedLedger!.survivors, owner.sharedLedger!.authority.isLeasing]).toEqual([[], true]);
  expect([owner.ledger.balanceOf("acme"), owner.ledger.state().openHolds, folders()]).toMatchObject([
    { creditNanos: 960n, heldNanos: 0n },
    0,
    [],
  ]);
  const [five, six] = [await start("p5"), await start("p6")];
  await Promise.all([serve(five, "five", 20n), serve(six, "six", 20n)]);
  await crash({ isShared: false });
  expect([owner.sharedLedger, owner.ledger.leases, owner.ledger.balanceOf("acme").creditNanos]).toEqual([undefined, undefined, 920n]);
  expect([owner.ledger.state().openHolds, folders()]).toEqual([0, []]);
});

describe("the owner is killed", () => {
  test("after a journal was applied, and before the folder was removed", async () => {
    await serve(await start("p1"), "one", 70n);
    const { store, folder } = processes.pop()!;
    await store.close();
    folder.release();
    await owner.sharedLedger!.authority.end("p1");
    await crash({ isShared: true });
    expect([owner.ledger.balanceOf("acme").creditNanos, owner.ledger.state().openHolds, folders()]).toEqual([930n, 0, []]);
  });

  test("and a folder comes back that was removed: its requests are not charged again", async () => {
    await serve(await start("p1"), "one", 70n);
    const kept = join(dataFolder, "kept");
    cpSync(join(dataFolder, "processes"), kept, { recursive: true });
    await crash({ isShared: true });
    const [started] = await Promise.allSettled([crash({ isShared: true, change: bringBack })]);
    expect(String((started as PromiseRejectedResult).reason)).toContain("the ledger has the request one-served already");
    await crash({ isShared: true });
    expect(owner.ledger.balanceOf("acme").creditNanos).toBe(930n);
  });

  test("while a process was making its folder", async () => {
    await crash({ isShared: true, change: (folder) => mkdirSync(join(folder, "processes", ".new-p1"), { recursive: true }) });
    expect(folders()).toEqual([]);
  });
});

test("holds are charged for the progress that a killed process had reported", async () => {
  const store = await start("p1");
  await serve(store, "one", 70n);
  store.watch("one-open", () => ({ costNanos: 40n, usage: USAGE, provenance: "measured", upstream: "u", upstreamModel: "m" }));
  const file = new SqliteFile(join(dataFolder, "tollgate.db"), { readonly: true });
  await eventually(
    () => file.query("select request_id from progress").all(),
    (rows) => rows.length === 1,
  );
  file.close();
  await crash({ isShared: true });
  expect(owner.ledger.balanceOf("acme").creditNanos).toBe(890n);
});

test("a single process does not start while gateway processes of an earlier owner live", async () => {
  let alive: ProcessFolder | undefined;
  const change = (folder: string): void => void (alive = createProcessFolder(folder, "p1", 8080));
  const [started] = await Promise.allSettled([crash({ isShared: false, change })]);
  expect(started).toMatchObject({
    status: "rejected",
    reason: { name: "ProcessesRunning", running: [{ id: "p1", pid: process.pid, port: 8080 }] },
  });
  alive!.release();
  await crash({ isShared: false, change: (folder) => createProcessFolder(folder, "p1", 8080).release() });
  expect(existsSync(join(dataFolder, "processes", "p1"))).toBe(false);
});

test("a damaged journal keeps its leases, and does not keep others from their recovery", async () => {
  await serve(await start("p1"), "one", 70n);
  await serve(await start("p2"), "two", 20n);
  const { authority } = owner.sharedLedger!;
  for (const { folder } of processes) folder.release();
  damageJournal(dataFolder);
  const { epoch } = authority.find("p1")!;
  const { ended, failures } = await owner.sharedLedger!.recoverProcesses();
  expect([ended, [...failures.keys()], folders()]).toEqual([["p2"], ["p1"], ["p1"]]);
  expect(String(failures.get("p1"))).toContain("segment-1");
  // The process has not joined again, which would make it live.
  expect(authority.find("p1")!.epoch).toBe(epoch);
  expect(authority.instances()).toMatchObject([{ id: "p1", leases: [{ purse: ACCOUNT }] }]);
});

test("a damaged journal stops the start, and is named", async () => {
  await serve(await start("p1"), "one", 70n);
  const [started] = await Promise.allSettled([crash({ isShared: true, change: damageJournal })]);
  expect(started).toMatchObject({ status: "rejected", reason: { name: "FolderDamaged" } });
  const { message } = (started as PromiseRejectedResult).reason as Error;
  expect(message).toContain("segment-1: the journal of the gateway process in processes/p1 cannot be applied: the group at byte 72");
  expect(message).toContain("npx tollgate recover --accept-loss");
  await crash({ isShared: true, change: (folder) => rmSync(join(folder, "processes", "p1"), { recursive: true }) });
  expect(owner.ledger.state().openHolds).toBe(0);
});

test("recover reports a damaged journal, and moves it aside where the loss is accepted", async () => {
  await serve(await start("p1"), "one", 70n);
  await serve(await start("p2"), "two", 20n);
  let moved: string[] = [];
  const change = async (folder: string): Promise<void> => {
    expect(await recoverFolder(folder, true, NOW)).toMatchObject({ findings: [], movedTo: undefined });
    damageJournal(folder);
    const { findings, losses, movedTo } = await recoverFolder(folder, false, NOW);
    expect([findings.map(({ file }) => basename(file)), movedTo]).toEqual([["segment-1"], undefined]);
    expect(losses.join()).toContain("the gateway process p1");
    const recovered = await recoverFolder(folder, true, NOW);
    expect(recovered.findings).toEqual(findings);
    moved = readdirSync(join(recovered.movedTo!, "processes"));
  };
  await crash({ isShared: true, change });
  expect([moved, folders(), owner.ledger.state().openHolds]).toEqual([["p1"], [], 0]);
  // Some entries of p1 are in the ledger already, if p1 had shipped them.
  expect(owner.ledger.balanceOf("acme").creditNanos).toBeOneOf([910n, 980n]);
});

test("recover refuses a folder whose gateway processes run", async () => {
  const copy = mkdtempSync(join(tmpdir(), "tollgate-processes-"));
  copies.push(copy);
  const alive = createProcessFolder(copy, "p1", 8080);
  const [refused] = await Promise.allSettled([recoverFolder(copy, true, NOW)]);
  expect(String((refused as PromiseRejectedResult).reason)).toContain(`p1 (pid ${process.pid})`);
  alive.release();
});
