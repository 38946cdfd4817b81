import { readRates } from "../../money/limits.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../access/api-key.ts";
import { ownChange, type Change } from "../../access/change.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { removalContract, updateContract } from "../update.contract.ts";
import type { KeyStore } from "./key-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface KeyStoreFixture {
  readonly store: KeyStore;
  auditLog(): AuditLogStore;
  reopen(): Promise<KeyStore>;
  cleanUp(): Promise<void>;
}

const hashOf = (text: string): Uint8Array => new TextEncoder().encode(`hash-${text}`);

const record = (id: string, createdAtMs: number): KeyRecord => ({
  id,
  name: `'; drop table keys; -- ${id}`,
  accountId: "acme",
  limits: readRates({ requests_per_minute: 60, concurrent_requests: 3 }),
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: null },
  hash: hashOf(id),
  previous: null,
  models: ["gpt-*", 'a"b'],
  createdAtMs,
  expiresAtMs: createdAtMs + 1000,
  revokedAtMs: null,
  imported: { from: "litellm", source: "one", atMs: 7 },
  pausedAtMs: null,
  archivedAtMs: null,
});

const CHANGE: Change = ownChange("key.test", { kind: "key", id: "a" }, null, 1);

/** Contract tests for every implementation of this port. */
export function keyStoreContract(name: string, open: () => Promise<KeyStoreFixture>): void {
  describe(`${name} implements KeyStore`, () => {
    let fixture: KeyStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    const updated = {
      id: "a",
      record: record("a", 1),
      add: () => fixture.store.add(record("a", 1), CHANGE),
      find: (id: string) => fixture.store.find(id),
      findAfterRestart: async (id: string) => (await fixture.reopen()).find(id),
      auditLog: () => fixture.auditLog(),
    };
    updateContract<KeyRecord>("update", () => ({
      ...updated,
      update: (id, make) => fixture.store.update(id, make),
      first: (key) => ({ ...key, name: "b" }),
      second: (key) => ({ ...key, models: ["*"] }),
    }));
    updateContract<KeyRecord>("revoke", () => ({
      ...updated,
      update: (id, make) => fixture.store.revoke(id, make),
      first: (key) => ({ ...key, revokedAtMs: 50 }),
      second: (key) => ({ ...key, previous: { hash: hashOf("old"), worksUntilMs: 50 } }),
    }));

    removalContract<KeyRecord>("remove", () => ({ ...updated, remove: (id, make) => fixture.store.remove(id, make) }));

    test("finds an added key", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      expect(fixture.store.find("a")).toEqual(record("a", 1));
      expect(fixture.store.find("b")).toBeUndefined();
    });

    test("rejects a duplicate id", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      const [second] = await Promise.allSettled([fixture.store.add({ ...record("a", 2), hash: hashOf("other") }, CHANGE)]);
      expect(second.status).toBe("rejected");
      expect(fixture.store.find("a")?.hash).toEqual(hashOf("a"));
    });

    test("a change is in force when it is confirmed", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      const changed = { ...record("a", 1), name: "b", limits: readRates({ tokens_per_minute: 9 }) };
      await fixture.store.update("a", () => ({ record: changed, change: CHANGE }));
      expect(fixture.store.find("a")).toEqual(changed);
      expect((await fixture.reopen()).find("a")).toEqual(changed);
    });

    test("a concurrent change does not undo a revocation, and of two changes neither is lost", async () => {
      const { store } = fixture;
      await store.add(record("a", 1), CHANGE);
      await Promise.all([
        store.update("a", (current) => ({ record: { ...current!, name: "b" }, change: CHANGE })),
        store.revoke("a", (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: CHANGE })),
        store.update("a", (current) => ({ record: { ...current!, models: ["*"] }, change: CHANGE })),
      ]);
      const expected = { ...record("a", 1), name: "b", models: ["*"], revokedAtMs: 50 };
      expect(store.find("a")).toEqual(expected);
      expect((await fixture.reopen()).find("a")).toEqual(expected);
    });

    test("finds a rotated key with both hashes, even after a restart", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      const rotated = { ...record("a", 1), hash: hashOf("new"), previous: { hash: hashOf("a"), worksUntilMs: 99 } };
      await fixture.store.update("a", () => ({ record: rotated, change: CHANGE }));
      expect(fixture.store.find("a")).toEqual(rotated);
      expect((await fixture.reopen()).find("a")).toEqual(rotated);
    });

    test("lists every key, in whatever state", async () => {
      const { store } = fixture;
      const keys = [record("a", 1), { ...record("b", 2), revokedAtMs: 3 }, { ...record("c", 3), pausedAtMs: 4, archivedAtMs: 5 }];
      for (const key of keys) await store.add(key, CHANGE);
      for (const each of [store, await fixture.reopen()]) {
        expect((await each.list()).toSorted((one, other) => one.createdAtMs - other.createdAtMs)).toEqual(keys);
      }
    });

    test("reports a key that is removed, and a key with its id can be added again", async () => {
      const { store } = fixture;
      const removed: KeyRecord[] = [];
      store.onRemove((key) => removed.push(key));
      await store.add(record("a", 1), CHANGE);
      await store.remove("a", () => ({ change: CHANGE }));
      expect(removed).toEqual([record("a", 1)]);
      await store.add(record("a", 2), CHANGE);
      expect((await fixture.reopen()).find("a")).toEqual(record("a", 2));
    });

    test("confirmed writes survive a restart", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      await fixture.store.add(record("b", 2), CHANGE);
      await fixture.store.revoke("a", (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: CHANGE }));
      const reopened = await fixture.reopen();
      expect(reopened.find("a")).toEqual({ ...record("a", 1), revokedAtMs: 50 });
      expect(reopened.ids().toSorted()).toEqual(["a", "b"]);
      expect(reopened.find("b")).toEqual(record("b", 2));
    });
  });
}
