import { expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { limitStoreContract, scope } from "./limit-store.contract.ts";
import type { LimitScope, LimitTicket } from "./limit-store.ts";
import { MemoryLimitStore } from "./memory-limit-store.ts";

const MINUTE_MS = 60_000;

limitStoreContract("MemoryLimitStore", async () => ({ store: new MemoryLimitStore(), cleanUp: async () => undefined }));

for (const limits of [{ concurrent_requests: 5 }, { requests_per_minute: 1000 }, { tokens_per_minute: 1000 }]) {
  test(`${Object.keys(limits)[0]} alone remembers no more than the last minute`, () => {
    const store = new MemoryLimitStore();
    const scopes = [scope("key", "k", limits)];
    const pass = (from: number, to: number): void => {
      for (let at = from; at < to; at++) (store.take(scopes, 1, at * 1000) as LimitTicket).end(1);
    };
    pass(0, 1000);
    Bun.gc(true);
    const before = heapStats();
    pass(1000, 50_000);
    Bun.gc(true);
    const after = heapStats();
    expect(after.objectCount - before.objectCount).toBeLessThan(20_000);
    expect(after.heapSize - before.heapSize).toBeLessThan(500_000);
  });
}

const ownedBy = (id: string): readonly LimitScope[] => [
  scope("key", id, { requests_per_minute: 2 }),
  scope("account", `of ${id}`, { concurrent_requests: 1 }),
];

/** The number of windows in memory. */
function windows(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Float64Array"] ?? 0;
}

test("frees the counters of idle keys and accounts, but not of active ones", () => {
  const store = new MemoryLimitStore();
  const before = windows();
  const inFlight = store.take(ownedBy("long"), 1, 0) as LimitTicket;
  for (let at = 0; at < 500; at++) (store.take(ownedBy(`${at}`), 1, 0) as LimitTicket).end(1);
  expect(windows() - before).toBeGreaterThan(1900);
  const busy = [scope("key", "busy", { tokens_per_minute: 1e9 }), scope("account", "busy", {})];
  for (let seconds = 0; seconds < 5; seconds++) (store.take(busy, 1, MINUTE_MS + seconds * 1000) as LimitTicket).end(1);
  expect(windows() - before).toBeLessThan(20);
  expect(store.refusalOf(ownedBy("long"), 1, MINUTE_MS)?.what).toBe("concurrent");
  inFlight.end(1);
  expect(store.refusalOf(ownedBy("long"), 1, MINUTE_MS)).toBeUndefined();
});
