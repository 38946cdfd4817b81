import { expect, test } from "bun:test";
import { stack, ticksFor } from "./plot.tsx";

const series = (...values: (number | null)[]): { id: string; label: string; color: string; values: (number | null)[] } => ({
  id: "s",
  label: "S",
  color: "red",
  values,
});

test("stacks positive values upwards and negative ones downwards", () => {
  expect(stack([series(1, -1, null), series(2, 3, 4), series(-5, -2, 1)], 3)).toEqual([
    [
      { from: 0, to: 1 },
      { from: 0, to: -1 },
      { from: 0, to: 0 },
    ],
    [
      { from: 1, to: 3 },
      { from: 0, to: 3 },
      { from: 0, to: 4 },
    ],
    [
      { from: 0, to: -5 },
      { from: -1, to: -3 },
      { from: 4, to: 5 },
    ],
  ]);
});

test("has round ticks that include zero and all values", () => {
  expect(ticksFor(0, 0, false)).toEqual([0, 1]);
  expect(ticksFor(0, 7.3, false)).toEqual([0, 2.5, 5, 7.5]);
  expect(ticksFor(0, 2, true)).toEqual([0, 1, 2]);
  expect(ticksFor(0, 0.000_29, false)).toEqual([0, 0.0001, 0.0002, 0.0003]);
  expect(ticksFor(-12, 95, false)).toEqual([-50, 0, 50, 100]);
});
