import { expect, test } from "bun:test";
import { creditStatusOf } from "./credit-status.ts";

test.each([
  ["enough", "10.00", null],
  ["enough", "10.00", "10"],
  ["low", "9.999999999", "10"],
  ["out", "0.00", null],
  ["out", "-0.5", "10"],
] as const)("credit is %s with %s available and a low-credit threshold of %s", (status, available, low) => {
  expect(creditStatusOf({ available, low_credit: low })).toBe(status);
});
