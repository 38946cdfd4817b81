import { expect, test } from "bun:test";
import { BoottimeClock } from "./boottime-clock.ts";

const HOUR_MS = 3_600_000;

test("runs on while the machine is suspended, and follows no other change of the wall clock", () => {
  let [monotonicMs, wallMs] = [5000, 1_700_000_000_000];
  const { nowMs } = new BoottimeClock(
    () => monotonicMs,
    () => wallMs,
  );
  const after = (monotonic: number, wall: number): number => {
    monotonicMs += monotonic;
    wallMs += wall;
    return nowMs();
  };
  expect(after(100, 100)).toBe(5100);
  // The machine is suspended, twice.
  expect(after(10, HOUR_MS + 10)).toBe(5110 + HOUR_MS);
  expect(after(10, HOUR_MS + 10)).toBe(5120 + 2 * HOUR_MS);
  // The wall clock is set back, corrected by a little, and slowed down.
  expect(after(10, -HOUR_MS)).toBe(5130 + 2 * HOUR_MS);
  expect(after(10, 900)).toBe(5140 + 2 * HOUR_MS);
  expect(after(10_000, 9000)).toBe(15_140 + 2 * HOUR_MS);
});
