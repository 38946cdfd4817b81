import { expect, test } from "bun:test";
import type { ApiError } from "../../requests/api-error.ts";
import { RejectionBudget } from "./rejection-budget.ts";

const clock = { nowMs: 0 };
const budget = new RejectionBudget(() => clock.nowMs);

function waitOf(key: string, address: string): number {
  try {
    budget.refuse(key, { callerAddress: () => address });
    return 0;
  } catch (error) {
    return (error as ApiError).retryAfterSeconds!;
  }
}

test("a key has two seconds of CPU time at once and a twentieth of a core, an address five times as much", () => {
  for (let count = 0; count < 10; count++) {
    expect(waitOf("a", "192.0.2.1")).toBe(0);
    budget.charge("a", "192.0.2.1", 210);
  }
  expect([waitOf("a", "192.0.2.1"), waitOf("a", "192.0.2.9"), waitOf("b", "192.0.2.1")]).toEqual([2, 2, 0]);
  clock.nowMs += 2000;
  expect(waitOf("a", "192.0.2.1")).toBe(0);
  for (const key of ["c", "d", "e", "f", "g"]) for (let count = 0; count < 2; count++) budget.charge(key, "192.0.2.1", 60_000);
  expect([waitOf("new", "192.0.2.1") > 0, waitOf("new", "192.0.2.2")]).toEqual([true, 0]);
});
