import { expect, test } from "bun:test";
import { balanceAfter } from "./balance-after.ts";

test("a grant is told with the balance that comes of it", () => {
  expect(balanceAfter("0.1", "0.2")).toEqual({
    words: "$0.10 is available now. It will be $0.30.",
    tone: "plain",
    takes: false,
    amount: "$0.20",
  });
});

test("what takes credit away is named, and what follows where none is left", () => {
  expect(balanceAfter("10", "-4")).toMatchObject({ takes: true, amount: "$4.00", tone: "warn" });
  expect(balanceAfter("10", "-10")!.words).toBe("$10.00 is available now. It will be $0.00. Requests are refused then.");
  expect(balanceAfter("10", "-12.5")!.words).toContain("It will be −$2.50.");
});

test("there is nothing to tell while nothing is typed", () => {
  for (const typed of ["", "-", "abc", "0", "-0.00"]) expect(balanceAfter("10", typed)).toBeUndefined();
});
