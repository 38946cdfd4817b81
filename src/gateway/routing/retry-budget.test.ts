import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { RetryBudget, RetryBudgets } from "./retry-budget.ts";

const RESERVE = 10;

function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (taken < 1000 && budget.take()) taken++;
  return taken;
}

test("has ten retries at the start, one more for every five requests, and one for every ten seconds", () => {
  const clock = { nowMs: 0 };
  const budget = new RetryBudget(() => clock.nowMs);
  expect(takeAll(budget)).toBe(RESERVE);
  for (let count = 0; count < 6; count++) budget.noteRequest();
  expect(takeAll(budget)).toBe(1);
  clock.nowMs += 20_000;
  expect(takeAll(budget)).toBe(2);
});

test("saves up at most a hundred", () => {
  const clock = { nowMs: 0 };
  const budget = new RetryBudget(() => clock.nowMs);
  for (let count = 0; count < 10_000; count++) budget.noteRequest();
  clock.nowMs += 86_400_000;
  expect(takeAll(budget)).toBe(100);
});

test("each model has its own budget", () => {
  const budgets = new RetryBudgets(() => 0);
  takeAll(budgets.of("one"));
  expect(budgets.of("one").take()).toBe(false);
  expect(budgets.of("other").take()).toBe(true);
});

test("attempts are at most 1.2 times the requests, plus the initial budget and one for every ten seconds", () => {
  const events = fc.array(fc.oneof(fc.constant("request"), fc.constant("retry"), fc.nat(60_000)), { maxLength: 500, size: "max" });
  fc.assert(
    fc.property(events, (history) => {
      const clock = { nowMs: 0 };
      const budget = new RetryBudget(() => clock.nowMs);
      let requests = 0;
      let retries = 0;
      for (const event of history) {
        if (event === "request") {
          budget.noteRequest();
          requests++;
        } else if (event === "retry") {
          if (budget.take()) retries++;
        } else {
          clock.nowMs += event;
        }
        expect(requests + retries).toBeLessThanOrEqual(1.2 * requests + RESERVE + clock.nowMs / 10_000 + 1e-9);
      }
    }),
    runs(500),
  );
});
