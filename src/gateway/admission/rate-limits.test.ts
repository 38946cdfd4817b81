import { expect, test } from "bun:test";
import type { LimitStore } from "../../stores/limits/limit-store.ts";
import { MemoryLimitStore } from "../../stores/limits/memory-limit-store.ts";
import { readRates } from "../../money/limits.ts";
import type { Gateway } from "../gateway.ts";
import { checkLimits, rejectIfLimitReached, takeLimits } from "./rate-limits.ts";

const HALF_AN_HOUR_MS = 30 * 60_000;
const TOKENS = { prompt: 1, outputPerChoice: 1, choices: 1, limitName: "max_tokens" };
const SCOPES = [{ kind: "key", id: "k", limits: readRates({ requests_per_minute: 2 }) }] as const;

for (const setByMs of [HALF_AN_HOUR_MS, -HALF_AN_HOUR_MS]) {
  test(`setting the system clock by ${setByMs / 60_000} minutes does not affect a rate limit`, async () => {
    const clock = { systemMs: Date.parse("2027-03-10"), monotonicMs: 5000 };
    const rejections: string[] = [];
    const gateway = {
      limits: new MemoryLimitStore(),
      nowMs: () => clock.systemMs,
      monotonicMs: () => clock.monotonicMs,
      bodies: { noteRejected: (reason: string) => rejections.push(reason) },
    } as unknown as Gateway;
    for (let request = 0; request < 2; request++) (await takeLimits(SCOPES, TOKENS, gateway)).end(2);
    clock.systemMs += setByMs;
    clock.monotonicMs += 59_999;
    for (const ask of [takeLimits, checkLimits]) expect(() => ask(SCOPES, TOKENS, gateway)).toThrow("Please try again in 1s.");
    expect(() => rejectIfLimitReached(SCOPES, gateway)).toThrow("Please try again in 1s.");
    expect(rejections).toEqual(["rate_limit"]);
    clock.monotonicMs += 1;
    await rejectIfLimitReached(SCOPES, gateway);
    await checkLimits(SCOPES, TOKENS, gateway);
    (await takeLimits(SCOPES, TOKENS, gateway)).end(2);
  });
}

test("a limit that another process counts is awaited, and its rejection is the same 429", async () => {
  const counted = new MemoryLimitStore();
  const limits: Pick<LimitStore, "take" | "refusalOf"> = {
    take: async (...request) => counted.take(...request),
    refusalOf: async (...request) => counted.refusalOf(...request),
  };
  const rejections: string[] = [];
  const bodies = { noteRejected: (reason: string) => rejections.push(reason) };
  const gateway = { limits, bodies, monotonicMs: () => 5000 } as unknown as Gateway;
  for (let request = 0; request < 2; request++) {
    await rejectIfLimitReached(SCOPES, gateway);
    await checkLimits(SCOPES, TOKENS, gateway);
    (await takeLimits(SCOPES, TOKENS, gateway)).end(2);
  }
  const asks = [
    () => takeLimits(SCOPES, TOKENS, gateway),
    () => checkLimits(SCOPES, TOKENS, gateway),
    () => rejectIfLimitReached(SCOPES, gateway),
  ];
  for (const result of await Promise.allSettled(asks.map(async (ask) => ask()))) {
    expect((result as PromiseRejectedResult).reason).toMatchObject({
      code: "rate_limit_exceeded",
      message: expect.stringContaining("This key has reached its limit of 2 requests per minute. Please try again in "),
    });
  }
  expect(rejections).toEqual(["rate_limit"]);
});
