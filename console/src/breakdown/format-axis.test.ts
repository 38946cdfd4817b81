import { expect, test } from "bun:test";
import { axisDollars, axisTime } from "./format-axis.ts";

test("keeps enough digits to tell tick labels of small amounts apart", () => {
  const marks = [0, 0.000_008_75, 0.0025, 0.25, 7.5, 300, 25_000];
  expect(marks.map(axisDollars)).toEqual(["$0", "$0.00000875", "$0.0025", "$0.25", "$7.50", "$300", "$25K"]);
});

test("formats durations in whole milliseconds or in seconds", () => {
  expect([0, 700, 1400].map(axisTime)).toEqual(["0 ms", "700 ms", "1.4 s"]);
});
