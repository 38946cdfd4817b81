import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import type { Stores } from "../stores.ts";
import { LastUsedReporter } from "./last-used-reporter.ts";
import { lastUsedStoreContract } from "./last-used-store.contract.ts";
import type { LastUsedStore } from "./last-used-store.ts";
import { SharedLastUsedStore } from "./shared-last-used-store.ts";

interface Linked {
  readonly links: LinkedServices;
  /** Gateway processes. */
  readonly one: LastUsedReporter;
  readonly other: LastUsedReporter;
  readonly shared: SharedLastUsedStore;
}

async function startProcess(links: LinkedServices, id: string): Promise<LastUsedReporter> {
  let reporter: LastUsedReporter;
  await links.start(id, (owner) => (reporter = new LastUsedReporter(owner)).service);
  return reporter!;
}

async function link({ lastUsed }: Stores): Promise<Linked> {
  const shared = new SharedLastUsedStore(lastUsed);
  const links = new LinkedServices(shared.service);
  return { links, one: await startProcess(links, "1"), other: await startProcess(links, "2"), shared };
}

/** A store to which two processes note uses, in turn, and from which the owner reads. */
function asStore({ one, other, shared }: Linked): LastUsedStore {
  let noted = 0;
  const next = (): LastUsedReporter => (noted++ % 2 === 0 ? one : other);
  return {
    noteKey: (keyId, atMs) => next().noteKey(keyId, atMs),
    noteModel: (keyId, model, atMs) => next().noteModel(keyId, model, atMs),
    lastUsedTimes: (keyIds) => shared.lastUsedTimes(keyIds),
    keysUsing: (model, filter, afterKeyId, limit) => shared.keysUsing(model, filter, afterKeyId, limit),
  };
}

lastUsedStoreContract("SharedLastUsedStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-uses-"));
  let stores = await openStoresIn(folder);
  let linked = await link(stores);
  const closeAll = async (): Promise<void> => {
    for (const { service } of [linked.one, linked.other]) await service.close();
    await linked.links.idle();
    await stores.close();
  };
  return {
    store: asStore(linked),
    keys: stores.keys,
    async reopen() {
      await closeAll();
      stores = await openStoresIn(folder);
      linked = await link(stores);
      return asStore(linked);
    },
    async cleanUp() {
      await closeAll();
      rmSync(folder, { recursive: true });
    },
  };
});

test("the later of two times counts, also where it was reported or written first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-uses-"));
  const stores = await openStoresIn(folder);
  const { one, other, shared } = await link(stores);
  const write = (): Promise<unknown> => stores.lastUsed.keysUsing("m", { sinceMs: 0, accountIds: [] }, undefined, 1);
  const readLastUse = async (): Promise<unknown> => (await shared.lastUsedTimes(["a"])).get("a");
  one.noteKey("a", 9);
  expect(await readLastUse()).toBe(9);
  other.noteKey("a", 5);
  expect(await readLastUse()).toBe(9);
  await write();
  other.noteKey("a", 7);
  expect(await readLastUse()).toBe(9);
  await write();
  expect(await readLastUse()).toBe(9);
  await stores.close();
  rmSync(folder, { recursive: true });
});

test("uses that are noted while the owner is away are reported to the next one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-uses-"));
  const stores = await openStoresIn(folder);
  const { links, one } = await link(stores);
  links.loseOwner();
  one.noteKey("a", 4);
  await one.service.report();
  const shared = new SharedLastUsedStore(stores.lastUsed);
  await links.replaceOwner(shared.service);
  expect((await shared.lastUsedTimes(["a"])).get("a")).toBe(4);
  await stores.close();
  rmSync(folder, { recursive: true });
});
