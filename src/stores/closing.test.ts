import { expect, test } from "bun:test";
import { Closing } from "./closing.ts";

const hang = (): Promise<never> => new Promise(() => undefined);

test("runs all steps in order, also after one that fails or hangs", async () => {
  const closing = new Closing();
  const closed: string[] = [];
  await closing.run([
    { name: "first", close: async () => closed.push("first") },
    {
      name: "failing",
      close() {
        throw new Error("disk full");
      },
    },
    { name: "rejecting", close: () => Promise.reject(new Error("no route")) },
    { name: "hanging", limitMs: 1, close: hang },
    { name: "last", close: () => closed.push("last") },
  ]);
  await closing.run([{ name: "later", close: () => closed.push("later") }]);
  expect(closed).toEqual(["first", "last", "later"]);
  expect(closing.failures).toEqual([
    { step: "failing", reason: "disk full" },
    { step: "rejecting", reason: "no route" },
    { step: "hanging", reason: "it did not end in time" },
  ]);
});

test("a step can report what it left undone after its deadline", async () => {
  const closing = new Closing();
  await closing.run([{ name: "slow", limitMs: 1, close: (expired) => failOnceExpired(expired) }]);
  expect(closing.failures).toEqual([{ step: "slow", reason: "3 are left" }]);
});

test("hurry() expires the running step and all later ones", async () => {
  const closing = new Closing();
  const limitMs = 1_000_000;
  const run = closing.run([
    { name: "running", limitMs, close: (expired) => failOnceExpired(expired) },
    { name: "hanging", limitMs, close: hang },
    { name: "quick", limitMs, close: () => undefined },
  ]);
  closing.expireAll();
  await run;
  expect(closing.failures).toEqual([
    { step: "running", reason: "3 are left" },
    { step: "hanging", reason: "it did not end in time" },
  ]);
});

async function failOnceExpired(expired: AbortSignal): Promise<void> {
  if (!expired.aborted) await new Promise((resolve) => expired.addEventListener("abort", resolve, { once: true }));
  throw new Error("3 are left");
}
