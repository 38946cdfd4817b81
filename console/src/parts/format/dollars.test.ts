import { expect, test } from "bun:test";
import { dollarsOf, nanosOf, share } from "./dollars.ts";

test("adds and subtracts amounts exactly, without floating point", () => {
  expect(dollarsOf(nanosOf("0.1")! + nanosOf("0.2")!)).toBe("0.300000000");
  expect(dollarsOf(nanosOf("999999999.999999999")! - nanosOf("0.000000001")!)).toBe("999999999.999999998");
  expect(dollarsOf(nanosOf("-0.5")!)).toBe("-0.500000000");
});

test("rejects text that is not an amount", () => {
  for (const text of ["", "1e3", "1,000", "$5", ".5", "1.0000000001", "- 1"]) expect(nanosOf(text)).toBeUndefined();
});

test("clamps a fraction to 0 and 1", () => {
  expect(share("2.5", "10")).toBe(0.25);
  expect(share("11", "10")).toBe(1);
  expect(share("-1", "10")).toBe(0);
  expect(share("0", "0")).toBe(1);
});
