import { expect, test } from "bun:test";
import { balanceAfter } from "./balance-after.ts";

const having = (available: string | null): { available: string | null; credit: string } => ({ available, credit: available ?? "-3.00" });

test("shows the balance after a grant", () => {
  expect(balanceAfter(having("0.1"), "0.2")).toEqual({
    text: "Available: $0.10. After this: $0.30.",
    tone: "plain",
    isDeduction: false,
    amount: "$0.20",
  });
});

test("marks deductions, and warns when no credit remains", () => {
  expect(balanceAfter(having("10"), "-4")).toMatchObject({ isDeduction: true, amount: "$4.00", tone: "warn" });
  expect(balanceAfter(having("10"), "-10")!.text).toBe("Available: $10.00. After this: $0.00. Paid requests will be rejected.");
  expect(balanceAfter(having("10"), "-12.5")!.text).toContain("After this: −$2.50.");
});

test("returns nothing while the amount is incomplete", () => {
  for (const typed of ["", "-", "abc", "0", "-0.00"]) expect(balanceAfter(having("10"), typed)).toBeUndefined();
});

test("an account whose credit line is unlimited has its credit alone, and no request is rejected", () => {
  expect(balanceAfter(having(null), "-2")).toMatchObject({ text: "Credit: −$3.00. After this: −$5.00.", isDeduction: true });
});
