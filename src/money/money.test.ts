import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { formatDollars, formatPicos, MAX_NANOS, parseDollars } from "./money.ts";

const nanos = fc.oneof(fc.bigInt({ min: -MAX_NANOS, max: MAX_NANOS }), fc.bigInt({ min: -1000n, max: 1000n }));

test("formats amounts for people", () => {
  const written: [bigint, string][] = [
    [0n, "0.00"],
    [12_500_000_000n, "12.50"],
    [46_000n, "0.000046"],
    [-30_000_000n, "-0.03"],
    [1n, "0.000000001"],
    [-1n, "-0.000000001"],
    [100_000_000n, "0.10"],
    [1_000_000_000_000n, "1000.00"],
    [MAX_NANOS, "1000000000.00"],
  ];
  for (const [amount, text] of written) expect(formatDollars(amount)).toBe(text);
});

test("amounts round-trip, also through a decimal library", () => {
  const same = fc.property(nanos, (amount) => {
    const text = formatDollars(amount);
    expect(parseDollars(text)).toBe(amount);
    expect(text).toMatch(/^-?\d+\.\d{2,9}$/);
    expect(text).not.toMatch(/\.\d{2,}0$/);
    // Computed separately: the digits without the point, padded to nine decimals.
    const [whole, fraction] = text.split(".") as [string, string];
    expect(BigInt(whole + fraction) * 10n ** BigInt(9 - fraction.length)).toBe(amount);
  });
  fc.assert(same, runs(2500, 200_000));
});

test("parses every decimal notation exactly", () => {
  const exact = fc.property(fc.boolean(), fc.nat(999_999_999), fc.stringMatching(/^\d{0,9}$/), (isNegative, whole, fraction) => {
    const text = `${isNegative ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
    const size = BigInt(`${whole}${fraction.padEnd(9, "0")}`);
    expect(parseDollars(text)).toBe(isNegative ? -size : size);
  });
  fc.assert(exact, runs(2500, 200_000));
});

test("rejects invalid, too precise and too large amounts", () => {
  const bad = [
    "",
    " ",
    "-",
    ".",
    "1.",
    ".5",
    "+1",
    "1,5",
    "1e3",
    "0x1",
    "1_0",
    " 1",
    "1 ",
    "1\n",
    "--1",
    "1.0000000001",
    "1000000000.000000001",
  ];
  for (const text of [...bad, "-1000000000.01", "10000000000", "NaN", "Infinity", "١", "1n", "$1"])
    expect(parseDollars(text)).toBeUndefined();
  expect(parseDollars("1000000000")).toBe(MAX_NANOS);
});

test("every parsed amount formats to the same number", () => {
  const any = fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+]?[\d.eE ]{0,14}$/)), (text) => {
    const amount = parseDollars(text);
    if (amount === undefined) return;
    expect(Number(formatDollars(amount))).toBeCloseTo(Number(text), 4);
    expect(parseDollars(formatDollars(amount))).toBe(amount);
  });
  fc.assert(any, runs(2500, 200_000));
});

test("pico-dollars have up to twelve decimals, and a thousand of them are a nano-dollar", () => {
  expect([1_162_500n, 1n, 0n, 2_000_000_000_000n].map(formatPicos)).toEqual(["0.0000011625", "0.000000000001", "0.00", "2.00"]);
  fc.assert(fc.property(nanos, (amount) => expect(formatPicos(amount * 1000n)).toBe(formatDollars(amount))));
});
