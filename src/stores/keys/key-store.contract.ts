import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../vocabulary/api-key.ts";
import type { KeyStore } from "./key-store.ts";

/** A store under test, and a way to close it and open what it kept. */
export interface KeyStoreFixture {
  readonly store: KeyStore;
  reopen(): Promise<KeyStore>;
  cleanUp(): Promise<void>;
}

const record = (id: string, createdAtMs: number): KeyRecord => ({
  id,
  name: `'; drop table keys; -- ${id}`,
  accountId: "acme",
  limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: 3 },
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: null, totalNanos: null },
  hash: Buffer.from(`hash-${id}`),
  models: ["gpt-*", 'a"b'],
  createdAtMs,
  expiresAtMs: createdAtMs + 1000,
  revokedAtMs: null,
});

/** What every implementation of the port must do. */
export function keyStoreContract(name: string, open: () => Promise<KeyStoreFixture>): void {
  describe(`${name} keeps the contract of KeyStore`, () => {
    let fixture: KeyStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    test("a key is found as it was added, and another is not", async () => {
      await fixture.store.add(record("a", 1));
      expect(fixture.store.find("a")).toEqual(record("a", 1));
      expect(fixture.store.find("b")).toBeUndefined();
    });

    test("an id is taken once", async () => {
      await fixture.store.add(record("a", 1));
      expect(fixture.store.add({ ...record("a", 2), hash: Buffer.from("other") })).rejects.toThrow();
      expect(fixture.store.find("a")?.hash).toEqual(Buffer.from("hash-a"));
    });

    test("a change is in force at once", async () => {
      await fixture.store.add(record("a", 1));
      const changed = { ...record("a", 1), name: "b", limits: { requestsPerMinute: null, tokensPerMinute: 9, concurrentRequests: null } };
      await fixture.store.update(changed);
      expect(fixture.store.find("a")).toEqual(changed);
      expect((await fixture.reopen()).find("a")).toEqual(changed);
    });

    test("a change under way does not undo a revocation, and of two changes neither is lost", async () => {
      const { store } = fixture;
      await store.add(record("a", 1));
      const first = store.update({ ...store.find("a")!, name: "b" });
      const second = store.update({ ...store.find("a")!, models: ["*"] });
      await Promise.all([first, store.revoke("a", 50), second]);
      const expected = { ...record("a", 1), name: "b", models: ["*"], revokedAtMs: 50 };
      expect(store.find("a")).toEqual(expected);
      expect((await fixture.reopen()).find("a")).toEqual(expected);
    });

    test("the list has every key, newest first", async () => {
      for (const [id, at] of [
        ["a", 1],
        ["c", 3],
        ["b", 2],
      ] as const)
        await fixture.store.add(record(id, at));
      expect((await fixture.store.list()).map((key) => key.id)).toEqual(["c", "b", "a"]);
    });

    test("a revocation holds at once, and the first moment stands", async () => {
      await fixture.store.add(record("a", 1));
      expect(await fixture.store.revoke("a", 50)).toMatchObject({ revokedAtMs: 50 });
      expect(await fixture.store.revoke("a", 60)).toMatchObject({ revokedAtMs: 50 });
      expect(fixture.store.find("a")).toMatchObject({ revokedAtMs: 50 });
      expect(await fixture.store.revoke("b", 50)).toBeUndefined();
    });

    test("what was acknowledged is there after a restart", async () => {
      await fixture.store.add(record("a", 1));
      await fixture.store.add(record("b", 2));
      await fixture.store.revoke("a", 50);
      const reopened = await fixture.reopen();
      expect(await reopened.list()).toEqual([record("b", 2), { ...record("a", 1), revokedAtMs: 50 }]);
      expect(reopened.find("b")).toEqual(record("b", 2));
    });
  });
}
