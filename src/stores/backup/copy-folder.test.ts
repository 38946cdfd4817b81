import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENTRY_IDS, makeKilledFolder } from "../../../test/crash/killed-folder.ts";
import { readLedger } from "../../../test/crash/read-ledger.ts";
import { SmallDisk } from "../../../test/crash/small-disk.ts";
import { STORE_OPTIONS } from "../../../test/support/gateway/store-options.ts";
import { grant, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import { filesIn } from "../integrity/folder-files.ts";
import { LeasedLedgerStore } from "../ledger/leases/leased-ledger-store.ts";
import { createProcessFolder } from "../ledger/processes/process-folder.ts";
import { openStores } from "../open-stores.ts";
import { copyFolder } from "./copy-folder.ts";
import { changesAfter } from "./live-journals.ts";
import { settleCopy } from "./settle-copy.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-copied-"));
  folders.push(folder);
  return folder;
}

/** The entries of a copy, each with its kind, request and actor. */
async function entriesOfCopy(folder: string): Promise<string[]> {
  const copy = newFolder();
  copyFolder(folder, copy);
  await settleCopy(copy, Date.now());
  return readLedger(filesIn(copy).database).map(({ kind, request_id: requestId, actor }) => [kind, requestId, actor].join(" "));
}

test("a copy has the entries that a killed gateway has left in its journal, and ends what was in flight", async () => {
  const killed = await makeKilledFolder();
  folders.push(killed);
  const entries = await entriesOfCopy(killed);
  expect(entries.slice(ENTRY_IDS.length)).toEqual(["e", "f", "g"].map((request) => `release ${request} recovery`));
});

test("a copy has what is in the journal of a gateway process alone, and what it has shipped, once", async () => {
  const dataFolder = newFolder();
  const owner = await openStores({ ...STORE_OPTIONS, dataFolder, isShared: true });
  await owner.ledgerRecords.addCredit(grant(1000n));
  const { authority } = owner.sharedLedger!;
  const away = Promise.withResolvers<never>();
  let isAway = false;
  const store = new LeasedLedgerStore({
    instanceId: "p1",
    authority: {
      join: (id) => authority.join(id),
      ship: (shipment) => (isAway ? away.promise : authority.ship(shipment)),
      ensureCounted: (purses) => authority.ensureCounted(purses),
      recall: (id, purses) => authority.recall(id, purses),
      findReply: (scope, nowMs) => authority.findReply(scope, nowMs),
    },
    folder: createProcessFolder(dataFolder, "p1", 8080).path,
    durability: "process",
    monotonicMs: () => performance.now(),
    report: () => undefined,
    currentUntilMs: () => Number.POSITIVE_INFINITY,
    fenced: () => undefined,
  });
  await store.start();
  await store.widen([{ scope: "account", id: "acme" }], 500n);
  const serve = async (requestId: string): Promise<void> => {
    await store.hold(hold(requestId, 5n));
    await store.settle(requestId, settlement(2n));
  };
  await serve("shipped");
  await owner.ledgerRecords.balances();
  isAway = true;
  await serve("journaled");
  await store.hold(hold("open", 5n));
  const entries = await entriesOfCopy(dataFolder);
  expect(entries.slice(1).toSorted()).toEqual([
    "hold journaled key-1",
    "hold open key-1",
    "hold shipped key-1",
    "release open recovery",
    "settle journaled key-1",
    "settle shipped key-1",
  ]);
  away.reject(new Error("the end of the test"));
  await store.close();
  await owner.close();
});

test("of a journal that is read while it is written, the changes after a gap do not count", () => {
  const changes = [3, 4, 5, 5, 7, 8].map((id) => ({ kind: "statement", id }) as const);
  expect(changesAfter(changes, 3).map(({ id }) => id)).toEqual([4, 5]);
  expect(changesAfter(changes, 5)).toEqual([]);
  expect(changesAfter(changes, 8)).toEqual([]);
});

const disk = SmallDisk.mount(4);
if (!disk) process.stderr.write("The test of a full disk in src/stores/backup is skipped: this user may not mount a tmpfs\n");
afterAll(() => disk?.unmount());

test.skipIf(!disk)("on a full disk, a copy fails, and does not wait", async () => {
  const killed = await makeKilledFolder();
  folders.push(killed);
  copyFolder(killed, disk!.path);
  disk!.fill();
  const [result] = await Promise.allSettled([settleCopy(disk!.path, Date.now())]);
  expect(result).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/full/) } });
});
