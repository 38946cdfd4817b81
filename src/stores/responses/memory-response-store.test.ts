import { expect, test } from "bun:test";
import { MemoryResponseStore } from "./memory-response-store.ts";
import { responseOf, responseStoreContract } from "./response-store.contract.ts";

responseStoreContract("MemoryResponseStore", () => new MemoryResponseStore());

const KIB = "x".repeat(1024);

test("evicts the least recently used responses", () => {
  const store = new MemoryResponseStore(20 * 1024);
  for (let at = 0; at < 10; at++) store.store(`early ${at}`, responseOf(KIB), 1000);
  expect(store.find("early 0", 0)).toBeDefined();
  for (let at = 0; at < 9; at++) store.store(`late ${at}`, responseOf(KIB), 1000);
  const isThere = (key: string): boolean => store.find(key, 0) !== undefined;
  expect([isThere("early 0"), isThere("early 1"), isThere("late 0"), isThere("late 8")]).toEqual([true, false, true, true]);
});

test("stays within its memory limit, and frees evicted responses", () => {
  const store = new MemoryResponseStore(100 * 1024);
  for (let at = 0; at < 2000; at++) {
    store.store(`key ${at % 300}`, responseOf(KIB.repeat(at % 20)), at % 7 === 0 ? 0 : 1000);
    store.find(`key ${(at * 31) % 300}`, 1);
    expect(store.totalBytes).toBeLessThanOrEqual(100 * 1024);
  }
  for (let at = 0; at < 300; at++) store.find(`key ${at}`, 1000);
  expect(store.totalBytes).toBe(0);
});

test("counts the overhead of small responses", () => {
  const store = new MemoryResponseStore(100 * 1024);
  for (let at = 0; at < 1000; at++) store.store(`key ${at}`, responseOf(""), 1000);
  const kept = Array.from({ length: 1000 }, (_, at) => store.find(`key ${at}`, 0)).filter((found) => found !== undefined);
  expect(kept.length).toBeLessThan(200);
});
