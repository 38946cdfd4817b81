import { expect, test } from "bun:test";
import { segmentsOf, windowOf } from "./row-window.ts";

test("renders the visible rows and some around them, however many there are", () => {
  expect(windowOf(-200, 800, 34, 100_000)).toEqual({ start: 0, end: 30 });
  const middle = windowOf(34 * 50_000, 800, 34, 100_000);
  expect(middle.start).toBeLessThanOrEqual(50_000 - 12);
  expect(middle.end).toBeGreaterThanOrEqual(50_024 + 12);
  expect(middle.end - middle.start).toBeLessThan(70);
  expect(windowOf(34 * 99_990, 800, 34, 100_000).end).toBe(100_000);
});

test("renders nothing below or above the viewport, and never more than there is", () => {
  expect(windowOf(-5000, 800, 34, 100)).toEqual({ start: 0, end: 0 });
  expect(windowOf(34 * 200, 800, 34, 100)).toEqual({ start: 100, end: 100 });
  expect(windowOf(0, 800, 34, 3)).toEqual({ start: 0, end: 3 });
});

test("a scroll within a few rows keeps the window", () => {
  expect(windowOf(34 * 49, 816, 34, 1000)).toEqual(windowOf(34 * 52, 816, 34, 1000));
});

test("the active row is rendered outside of the window too", () => {
  const window = { start: 12, end: 48 };
  expect(segmentsOf(window, 20, 100)).toEqual([
    { start: 0, end: 12, isGap: true },
    { start: 12, end: 48, isGap: false },
    { start: 48, end: 100, isGap: true },
  ]);
  expect(segmentsOf(window, 3, 48)).toEqual([
    { start: 0, end: 3, isGap: true },
    { start: 3, end: 4, isGap: false },
    { start: 4, end: 12, isGap: true },
    { start: 12, end: 48, isGap: false },
  ]);
  expect(segmentsOf(window, 48, 100).at(-1)).toEqual({ start: 49, end: 100, isGap: true });
  expect(segmentsOf(window, 100, 48).filter(({ isGap }) => !isGap)).toHaveLength(1);
});
