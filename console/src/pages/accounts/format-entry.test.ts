import { expect, test } from "bun:test";
import { signedAmount } from "./format-entry.ts";

test.each([
  ["grant", "25.00", "+$25.00"],
  ["adjustment", "-3.50", "−$3.50"],
  ["adjustment", "3.50", "+$3.50"],
  ["settle", "0.000046", "−$0.000046"],
  ["settle", "0.00", "$0.00"],
  ["release", "0.00", "$0.00"],
] as const)("formats a %s of %s as %s", (kind, amount, text) => expect(signedAmount({ kind, amount })).toBe(text));
