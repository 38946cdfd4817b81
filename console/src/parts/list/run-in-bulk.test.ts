import { expect, test } from "bun:test";
import { runInBulk } from "./run-in-bulk.ts";

const ITEMS = Array.from({ length: 10 }, (_, at) => at);

test("runs every item and reports the reasons of failures", async () => {
  const progress: number[] = [];
  const { done, failures, left } = await runInBulk(
    ITEMS,
    (item) => (item % 4 === 3 ? Promise.reject(new Error(`${item} is in use`)) : Promise.resolve()),
    { onProgress: (finished) => progress.push(finished), isStopped: () => false, isFatal: () => false },
  );
  expect(done.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 4, 5, 6, 8, 9]);
  expect(failures).toEqual([
    { item: 3, reason: "3 is in use" },
    { item: 7, reason: "7 is in use" },
  ]);
  expect([left, progress.at(-1)]).toEqual([[], 10]);
});

test("begins no further item after a stop", async () => {
  let isStopped = false;
  const { done, left } = await runInBulk(ITEMS, () => Promise.resolve(), {
    onProgress: (finished) => (isStopped = finished >= 4),
    isStopped: () => isStopped,
    isFatal: () => false,
  });
  expect([...done, ...left].toSorted((one, other) => one - other)).toEqual(ITEMS);
  expect(left.length).toBeGreaterThan(0);
});

test("ends with a fatal error", async () => {
  const run: number[] = [];
  const [outcome] = await Promise.allSettled([
    runInBulk(
      ITEMS,
      (item) => {
        run.push(item);
        return Promise.reject(new Error("Sign in."));
      },
      { onProgress: () => undefined, isStopped: () => false, isFatal: () => true },
    ),
  ]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { message: "Sign in." } });
  expect(run.length).toBeLessThan(ITEMS.length);
});
