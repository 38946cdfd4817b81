import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { HourlySpend, HourlySpendStore } from "./hourly-spend-store.ts";

/** A store under test, and a way to close and reopen it. */
export interface HourlySpendStoreFixture {
  readonly store: HourlySpendStore;
  reopen(): Promise<HourlySpendStore>;
  cleanUp(): Promise<void>;
}

/** Larger than a JavaScript number can hold exactly. */
const LARGE = 2n ** 60n + 1n;

function hours(hour: number): HourlySpend {
  return {
    hour,
    nanos: LARGE,
    totalNanos: LARGE + 1n,
    days: [
      { day: 3, nanos: LARGE, hours: 24 },
      { day: 5, nanos: 0n, hours: 1 },
    ],
  };
}

/** Contract tests for every implementation of this port. */
export function hourlySpendStoreContract(name: string, open: () => Promise<HourlySpendStoreFixture>): void {
  describe(`${name} implements HourlySpendStore`, () => {
    let fixture: HourlySpendStoreFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.cleanUp());

    test("returns the last hourly spend of keys exactly, even after a restart, and none for others", async () => {
      const withoutDays = { ...hours(1), days: [] };
      await fixture.store.put([
        ["a", hours(1)],
        ["b", withoutDays],
      ]);
      await fixture.store.put([["a", hours(2)]]);
      const check = async (store: HourlySpendStore): Promise<void> => {
        const found = await store.find(["b", "c", "a"]);
        expect([...found.keys()].toSorted()).toEqual(["a", "b"]);
        expect([found.get("a"), found.get("b")]).toEqual([hours(2), withoutDays]);
        expect((await store.find(["c"])).size).toBe(0);
        expect((await store.find([])).size).toBe(0);
      };
      await check(fixture.store);
      await check(await fixture.reopen());
    });

    test("stores nothing for no keys, and the baselines of thousands of keys together", async () => {
      await fixture.store.put([]);
      const ids = Array.from({ length: 3000 }, (_, at) => `key-${at}`);
      await fixture.store.put(ids.map((id, at) => [id, hours(at)]));
      const found = await fixture.store.find(ids);
      expect(ids.map((id) => found.get(id)?.hour)).toEqual(ids.map((_, at) => at));
    });

    test("replaces the baselines of some keys all together: no reader sees a part", async () => {
      const ids = Array.from({ length: 20 }, (_, at) => `key-${at}`);
      const putAll = (hour: number): Promise<void> => fixture.store.put(ids.map((id) => [id, hours(hour)]));
      await putAll(0);
      for (let hour = 1; hour <= 20; hour++) {
        const [found] = await Promise.all([fixture.store.find(ids), putAll(hour)]);
        const seen = new Set([...found.values()].map((each) => each.hour));
        expect([found.size, seen.size]).toEqual([20, 1]);
      }
    });
  });
}
