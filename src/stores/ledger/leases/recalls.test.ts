import { expect, test } from "bun:test";
import type { Purse } from "../../../money/purse.ts";
import { Recalls } from "./recalls.ts";

const PURSE: Purse = { scope: "account", id: "acme" };
const LEASES = [{ instanceId: "p1", purse: PURSE }];

test("a process that serves a burst is waited for, and is not silent", async () => {
  const recalls = new Recalls();
  let hasAnswered = false;
  recalls.connect("p1", { recalled: () => Bun.sleep(400).then(() => void (hasAnswered = true)), onCreditAvailable: () => undefined });
  await recalls.recall(LEASES);
  expect([hasAnswered, recalls.isSilent("p1")]).toEqual([true, false]);
});

test("a process that does not answer is silent, and is not waited for until it has answered", async () => {
  const recalls = new Recalls(1);
  const answered = Promise.withResolvers<void>();
  let calls = 0;
  recalls.connect("p1", { recalled: () => (calls++, answered.promise), onCreditAvailable: () => undefined });
  await recalls.recall(LEASES);
  expect(recalls.isSilent("p1")).toBe(true);
  const waiting = recalls.recall(LEASES);
  // Resolves in the same turn of the event loop: there is nothing to wait for.
  expect(await Promise.race([waiting.then(() => "resolved"), Bun.sleep(0).then(() => "waiting")])).toBe("resolved");
  answered.resolve();
  await recalls.recall(LEASES);
  await Bun.sleep(0);
  expect([recalls.isSilent("p1"), calls]).toEqual([false, 1]);
});
