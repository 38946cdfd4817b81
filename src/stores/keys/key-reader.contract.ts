import { readRates } from "../../money/limits.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../access/api-key.ts";
import { ownChange } from "../../access/change.ts";
import type { KeyReader, KeyStore } from "./key-store.ts";

/** A reader under test, and the store whose keys it reads. */
export interface KeyReaderFixture {
  readonly store: KeyStore;
  readonly reader: KeyReader;
  /** Resolves when the reader has every change of the store. */
  propagated(): Promise<void>;
  cleanUp(): Promise<void>;
}

const hashOf = (text: string): Uint8Array => new TextEncoder().encode(`hash-${text}`);

const record = (id: string): KeyRecord => ({
  id,
  name: '{"$bigint":"1"}',
  accountId: "acme",
  limits: readRates({ requests_per_minute: 60, concurrent_requests: 1 }),
  caps: { dayNanos: 9_007_199_254_740_993n, monthNanos: 0n, totalNanos: null },
  hash: hashOf(id),
  previous: null,
  models: ["gpt-*", 'a"b'],
  imported: null,
  createdAtMs: 1,
  expiresAtMs: 1000,
  revokedAtMs: null,
  pausedAtMs: 1_900_000_000_123,
  archivedAtMs: 1_900_000_000_124,
});

const CHANGE = ownChange("key.test", { kind: "key", id: "a" }, null, 1);

/** Contract tests for every reader of keys. */
export function keyReaderContract(name: string, open: () => Promise<KeyReaderFixture>): void {
  describe(`${name} implements KeyReader`, () => {
    let fixture: KeyReaderFixture;
    beforeEach(async () => {
      fixture = await open();
      await fixture.store.add(record("a"), CHANGE);
      await fixture.propagated();
    });
    afterEach(() => fixture.cleanUp());

    test("finds a key exactly as it was added, and no other", () => {
      expect(fixture.reader.find("a")).toStrictEqual(record("a"));
      expect(fixture.reader.find("b")).toBeUndefined();
      expect(fixture.reader.find("__proto__")).toBeUndefined();
    });

    test("finds a changed, rotated and revoked key in its current state", async () => {
      const { store, reader } = fixture;
      const previous = { hash: hashOf("a"), worksUntilMs: 99 };
      const changed = { ...record("a"), name: "b", models: [], expiresAtMs: null };
      const rotated = { ...changed, hash: hashOf("new"), previous };
      for (const expected of [changed, rotated]) {
        await store.update("a", () => ({ record: expected, change: CHANGE }));
        await fixture.propagated();
        expect(reader.find("a")).toStrictEqual(expected);
      }
      await store.revoke("a", (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: CHANGE }));
      await fixture.propagated();
      expect(reader.find("a")).toStrictEqual({ ...rotated, revokedAtMs: 50 });
    });

    test("a removed key is unknown", async () => {
      await fixture.store.remove("a", () => ({ change: CHANGE }));
      await fixture.propagated();
      expect(fixture.reader.find("a")).toBeUndefined();
    });

    test("returns the same object until the key changes, and another one then", async () => {
      const { store, reader } = fixture;
      const before = reader.find("a");
      await store.add(record("b"), CHANGE);
      await store.update("b", (current) => ({ record: { ...current!, name: "b" }, change: CHANGE }));
      await fixture.propagated();
      expect(reader.find("a")).toBe(before);
      await store.update("a", (current) => ({ record: { ...current!, name: "b" }, change: CHANGE }));
      await fixture.propagated();
      expect(reader.find("a")).not.toBe(before);
    });
  });
}
