import { expect, test } from "bun:test";
import { ago, compactCount, duration, exactMoney, requestMoney, spentOf } from "./format.ts";

test.each([
  [0.5, "0.50 ms"],
  [0.997, "1.0 ms"],
  [9.96, "10 ms"],
  [999.4, "999 ms"],
  [999.7, "1.00 s"],
  [9996, "10.0 s"],
  [59_940, "59.9 s"],
  [59_990, "1 min 0 s"],
  [119_400, "1 min 59 s"],
  [119_700, "2 min 0 s"],
])("%d ms are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  ["12345678.123456789", "$12,345,678.123456789"],
  ["999999999999.999999999", "$999,999,999,999.999999999"],
  ["-0.100000000", "−$0.10"],
  ["0.000009", "$0.000009"],
  ["5", "$5.00"],
  ["0", "$0.00"],
  ["1e-7", "$0.000000100"],
])("%s dollars are %s with every digit", (dollars, text) => {
  expect(exactMoney(dollars)).toBe(text);
});

test("formats request costs with six digits, and never shows a positive cost as zero", () => {
  expect(["0.0103950", "0.000488", "12.5", "0", "0.0000001"].map(requestMoney)).toEqual([
    "$0.010395",
    "$0.000488",
    "$12.500000",
    "$0.000000",
    "<$0.000001",
  ]);
});

test.each([
  ["0.151459200", "5", "$0.15 of $5.00"],
  ["4.110000000", "5", "$4.11 of $5.00"],
  ["0.099600000", "0.1", "$0.0996 of $0.10"],
])("%s of a cap of %s is %s", (spent, cap, text) => {
  expect(spentOf(spent, cap)).toBe(text);
});

test.each([
  [59, "just now"],
  [3569, "59 minutes ago"],
  [3599, "1 hour ago"],
  [86_399, "1 day ago"],
  [2_591_999, "1 month ago"],
  [-86_399, "in 1 day"],
])("%d seconds before now are %s", (seconds, text) => {
  expect(ago(-seconds * 1000, 0)).toBe(text);
});

test("a million is a capital M, also where the locale writes a small one", () => {
  expect([9999, 12_300, 191_000_000, 2_500_000_000].map(compactCount)).toEqual(["9,999", "12.3K", "191M", "2.5B"]);
});
