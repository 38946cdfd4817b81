import { expect, test } from "bun:test";
import { MAX_ATTEMPTS, waitAfter } from "./next-attempt.ts";

const HOUR_MS = 3_600_000;

function waits(random: number): number[] {
  return Array.from({ length: MAX_ATTEMPTS - 1 }, (_, at) => waitAfter(at + 1, null, random)!);
}

test("waits grow from seconds to hours, and retries end after about a day", () => {
  expect(waits(0).slice(0, 4)).toEqual([5_000, 30_000, 120_000, 600_000]);
  expect(waits(0)).toEqual(waits(0).toSorted((a, b) => a - b));
  expect(waits(0).reduce((sum, each) => sum + each) / HOUR_MS).toBeWithin(23, 26);
  expect(waitAfter(MAX_ATTEMPTS, null, 0)).toBeUndefined();
  expect(waitAfter(MAX_ATTEMPTS, HOUR_MS, 0)).toBeUndefined();
});

test("jitter spreads retries, and never shortens a wait", () => {
  expect(waits(1).every((each, at) => each > waits(0)[at]! && each <= waits(0)[at]! * 1.25)).toBe(true);
});

test("a receiver's Retry-After extends a wait up to a day, and never shortens it", () => {
  expect([waitAfter(1, 60_000, 0), waitAfter(4, 60_000, 0), waitAfter(1, 1e12, 0)]).toEqual([60_000, 600_000, 24 * HOUR_MS]);
});
