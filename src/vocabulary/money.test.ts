import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { formatDollars, formatPicos, MAX_NANOS, parseDollars } from "./money.ts";

test("an amount is written with two decimals at least and no more than it needs, and read back exactly", () => {
  const cases: [bigint, string][] = [
    [0n, "0.00"],
    [12_500_000_000n, "12.50"],
    [46_000n, "0.000046"],
    [-30_000_000n, "-0.03"],
    [-1n, "-0.000000001"],
    [1_000_000_000n, "1.00"],
    [100_000_000n, "0.10"],
  ];
  for (const [nanos, text] of cases) expect(formatDollars(nanos)).toBe(text);
  fc.assert(fc.property(fc.bigInt({ min: -MAX_NANOS, max: MAX_NANOS }), (nanos) => expect(parseDollars(formatDollars(nanos))).toBe(nanos)));
});

test("pico-dollars have up to twelve decimals, and a thousand of them are a nano-dollar", () => {
  expect([1_162_500n, 1n, 0n, 2_000_000_000_000n].map(formatPicos)).toEqual(["0.0000011625", "0.000000000001", "0.00", "2.00"]);
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: MAX_NANOS }), (nanos) => expect(formatPicos(nanos * 1000n)).toBe(formatDollars(nanos))));
});
