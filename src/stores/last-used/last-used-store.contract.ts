import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../access/change.ts";
import { NO_CAPS, NO_LIMITS } from "../../money/limits.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { LastUsedStore } from "./last-used-store.ts";

/** A store under test with its keys, and a way to close and reopen it. */
export interface LastUsedStoreFixture {
  readonly store: LastUsedStore;
  readonly keys: KeyStore;
  reopen(): Promise<LastUsedStore>;
  cleanUp(): Promise<void>;
}

const SINCE_EVER = { sinceMs: 0, accountIds: [] };

async function addKey(keys: KeyStore, id: string, accountId: string): Promise<void> {
  const settings = {
    name: id,
    models: ["*"],
    limits: NO_LIMITS,
    caps: NO_CAPS,
    createdAtMs: 1,
    expiresAtMs: null,
    revokedAtMs: null,
    imported: null,
    pausedAtMs: null,
    archivedAtMs: null,
  };
  const record = { id, accountId, ...settings, hash: Buffer.from(id), previous: null };
  await keys.add(record, ownChange("key.test", { kind: "key", id }, null, 1));
}

/** Contract tests for every implementation of this port. */
export function lastUsedStoreContract(name: string, open: () => Promise<LastUsedStoreFixture>): void {
  describe(`${name} implements LastUsedStore`, () => {
    let fixture: LastUsedStoreFixture;
    beforeEach(async () => {
      fixture = await open();
      for (const [id, accountId] of [
        ["a", "acme"],
        ["b", "acme"],
        ["c", "beta"],
      ] as const)
        await addKey(fixture.keys, id, accountId);
    });
    afterEach(() => fixture.cleanUp());

    test("returns the last use of a key at once, and none for an unused key", async () => {
      const { store } = fixture;
      store.noteKey("a", 5);
      store.noteKey("a", 7);
      store.noteModel("b", "m", 6);
      expect(Object.fromEntries(await store.lastUsedTimes(["a", "b", "c"]))).toEqual({ a: 7, b: 6 });
      expect((await store.lastUsedTimes([])).size).toBe(0);
    });

    test("returns the last uses of thousands of keys, written and not", async () => {
      fixture.store.noteKey("a", 5);
      fixture.store.noteKey("b", 6);
      const reopened = await fixture.reopen();
      reopened.noteKey("b", 8);
      const many = ["a", "b", "c", ...Array.from({ length: 40_000 }, (_, at) => `unused-${at}`)];
      expect(Object.fromEntries(await reopened.lastUsedTimes(many))).toEqual({ a: 5, b: 8 });
    });

    test("lists the keys that use a model at once, with counts, in pages", async () => {
      const { store } = fixture;
      for (const [id, model, at] of [
        ["b", "m", 3],
        ["a", "m", 1],
        ["a", "m", 2],
        ["a", "other", 9],
        ["c", "m", 4],
      ] as const)
        store.noteModel(id, model, at);
      const all = [
        { keyId: "a", lastUsedAtMs: 2, requests: 2 },
        { keyId: "b", lastUsedAtMs: 3, requests: 1 },
        { keyId: "c", lastUsedAtMs: 4, requests: 1 },
      ];
      expect(await store.keysUsing("m", SINCE_EVER, undefined, 10)).toEqual(all);
      expect(await store.keysUsing("m", SINCE_EVER, undefined, 2)).toEqual(all.slice(0, 2));
      expect(await store.keysUsing("m", SINCE_EVER, "b", 2)).toEqual(all.slice(2));
      expect(await store.keysUsing("m", { ...SINCE_EVER, sinceMs: 3 }, undefined, 10)).toEqual(all.slice(1));
      expect(await store.keysUsing("nothing", SINCE_EVER, undefined, 10)).toEqual([]);
    });

    test("filters by account, and two different accounts match no key", async () => {
      const { store } = fixture;
      for (const id of ["a", "b", "c"]) store.noteModel(id, "m", 1);
      const idsOf = async (...accountIds: string[]): Promise<string[]> =>
        (await store.keysUsing("m", { sinceMs: 0, accountIds }, undefined, 10)).map(({ keyId }) => keyId);
      expect(await idsOf("acme")).toEqual(["a", "b"]);
      expect(await idsOf("beta")).toEqual(["c"]);
      expect(await idsOf("acme", "beta")).toEqual([]);
    });

    test("uses survive a restart, and counting continues", async () => {
      fixture.store.noteKey("c", 4);
      fixture.store.noteModel("a", "m", 5);
      const reopened = await fixture.reopen();
      reopened.noteModel("a", "m", 8);
      expect(Object.fromEntries(await reopened.lastUsedTimes(["a", "c"]))).toEqual({ a: 8, c: 4 });
      expect(await reopened.keysUsing("m", SINCE_EVER, undefined, 10)).toEqual([{ keyId: "a", lastUsedAtMs: 8, requests: 2 }]);
    });
  });
}
