import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../access/api-key.ts";
import { ownChange, type Change } from "../../access/change.ts";
import type { AuditLogStore } from "../audit-log/audit-log-store.ts";
import { updateContract } from "../update.contract.ts";
import type { KeyFilter, KeyStore } from "./key-store.ts";

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
  limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: 3 },
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: null },
  hash: hashOf(id),
  previous: null,
  models: ["gpt-*", 'a"b'],
  createdAtMs,
  expiresAtMs: createdAtMs + 1000,
  revokedAtMs: null,
});

const CHANGE: Change = ownChange("key.test", { kind: "key", id: "a" }, null, 1);
const ALL = { accountIds: [], nowMs: 0 };

/** What every implementation of the port must do. */
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
      const changed = { ...record("a", 1), name: "b", limits: { requestsPerMinute: null, tokensPerMinute: 9, concurrentRequests: null } };
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

    test("finds a rotated key with both hashes, also after a restart", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      const rotated = { ...record("a", 1), hash: hashOf("new"), previous: { hash: hashOf("a"), worksUntilMs: 99 } };
      await fixture.store.update("a", () => ({ record: rotated, change: CHANGE }));
      expect(fixture.store.find("a")).toEqual(rotated);
      expect((await fixture.reopen()).find("a")).toEqual(rotated);
    });

    test("lists every key, newest first", async () => {
      for (const [id, at] of [
        ["a", 1],
        ["c", 3],
        ["b", 2],
      ] as const)
        await fixture.store.add(record(id, at), CHANGE);
      expect((await fixture.store.page(ALL, undefined, 10)).map((key) => key.id)).toEqual(["c", "b", "a"]);
    });

    test("filters keys by account, part of the name, beginning of the id, and state", async () => {
      const { store } = fixture;
      const keys: KeyRecord[] = [
        { ...record("abc", 1), name: "Billing Ü 100%", accountId: "beta", expiresAtMs: null },
        { ...record("abd", 2), name: "search", expiresAtMs: 500 },
        { ...record("xab", 3), name: "billing_2", expiresAtMs: null, revokedAtMs: 4 },
      ];
      for (const key of keys) await store.add(key, CHANGE);
      const idsOf = async (filter: Partial<KeyFilter>): Promise<string[]> =>
        (await store.page({ accountIds: [], nowMs: 500, ...filter }, undefined, 10)).map(({ id }) => id);
      expect(await idsOf({ search: "BILL" })).toEqual(["xab", "abc"]);
      expect(await idsOf({ search: "ab" })).toEqual(["abd", "abc"]);
      expect(await idsOf({ search: "%" })).toEqual(["abc"]);
      expect(await idsOf({ search: "_" })).toEqual(["xab"]);
      expect([await idsOf({ search: "g Ü" }), await idsOf({ search: "\\" }), await idsOf({ search: "\0" })]).toEqual([["abc"], [], []]);
      expect(await idsOf({ accountIds: ["acme"] })).toEqual(["xab", "abd"]);
      expect(await idsOf({ accountIds: ["acme", "beta"] })).toEqual([]);
      expect(await idsOf({ accountIds: ["beta"], search: "bill" })).toEqual(["abc"]);
      expect([await idsOf({ state: "active" }), await idsOf({ state: "expired" }), await idsOf({ state: "revoked" })]).toEqual([
        ["abc"],
        ["abd"],
        ["xab"],
      ]);
      expect(await idsOf({ state: "active", nowMs: 499 })).toEqual(["abd", "abc"]);
    });

    test("pages are in the order of the bytes of ids, also of recent keys", async () => {
      const { store } = fixture;
      const nowMs = 1_900_000_000_123;
      for (const id of ["b", "B", "a", "é", "_"]) await store.add(record(id, nowMs), CHANGE);
      const ids = ["é", "b", "a", "_", "B"];
      expect((await store.page(ALL, undefined, 10)).map(({ id }) => id)).toEqual(ids);
      expect((await store.page(ALL, { id: "a", createdAtMs: nowMs }, 10)).map(({ id }) => id)).toEqual(ids.slice(3));
      expect((await fixture.reopen()).ids().toSorted()).toEqual(ids.toSorted());
    });

    test("pages of any length return the whole list, also of keys with the same creation time", async () => {
      const { store } = fixture;
      for (const [at, id] of ["c", "b", "a", "d", "f", "e"].entries()) await store.add(record(id, Math.floor(at / 4)), CHANGE);
      const whole = await store.page(ALL, undefined, 10);
      expect(whole.map(({ id }) => id).join("")).toBe("fedcba");
      for (const limit of [1, 2, 4]) {
        const paged: KeyRecord[] = [];
        for (let page: readonly KeyRecord[]; (page = await store.page(ALL, paged.at(-1), limit)).length > 0;) paged.push(...page);
        expect(paged).toEqual([...whole]);
      }
    });

    test("confirmed writes survive a restart", async () => {
      await fixture.store.add(record("a", 1), CHANGE);
      await fixture.store.add(record("b", 2), CHANGE);
      await fixture.store.revoke("a", (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: CHANGE }));
      const reopened = await fixture.reopen();
      expect(await reopened.page(ALL, undefined, 10)).toEqual([record("b", 2), { ...record("a", 1), revokedAtMs: 50 }]);
      expect(reopened.ids().toSorted()).toEqual(["a", "b"]);
      expect(reopened.find("b")).toEqual(record("b", 2));
    });
  });
}
