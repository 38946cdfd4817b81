import { expect, test } from "bun:test";
import { DatabaseClock } from "./database-clock.ts";

let monotonicMs: number;

/** Simulates a reply of the database with this time, to a statement that took this long. */
function answered(clock: DatabaseClock, nowMs: number, tookMs: number): void {
  const replied = clock.sent();
  monotonicMs += tookMs;
  replied(nowMs);
}

function start(): DatabaseClock {
  monotonicMs = 1000;
  return new DatabaseClock(() => monotonicMs);
}

test("is the clock of the machine until the database has replied", () => {
  const before = Date.now();
  expect(start().nowMs()).toBeGreaterThanOrEqual(before);
});

test("is the time in the last reply and the time since", () => {
  const clock = start();
  answered(clock, 5_000_000, 10);
  // The time was read within the last 10 ms: the middle of this interval is the best estimate.
  expect(clock.nowMs()).toBe(5_000_005);
  monotonicMs += 3_600_000;
  expect(clock.nowMs()).toBe(8_600_005);
});

test("a reply moves it as far as it must, and no further: a slow one says little", () => {
  const clock = start();
  answered(clock, 1_000_000, 0);
  expect(clock.nowMs()).toBe(1_000_000);
  answered(clock, 1_000_001, 10_000);
  expect(clock.nowMs()).toBe(1_010_000);
  answered(clock, 1_020_000, 100);
  expect(clock.nowMs()).toBe(1_020_000);
  answered(clock, 1_000_000, 100);
  expect(clock.nowMs()).toBe(1_000_101);
});
