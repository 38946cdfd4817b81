import { expect, test } from "bun:test";
import { Credential } from "./upstream-state.ts";

function credentialWithClock(): { credential: Credential; clock: { nowMs: number } } {
  const clock = { nowMs: 500 };
  return { clock, credential: new Credential(undefined, () => clock.nowMs) };
}

test("a rate limit starts a cooldown of Retry-After, or 5 s", () => {
  const { credential, clock } = credentialWithClock();
  expect(credential.cooldownMs("m")).toBe(0);
  credential.noteFault({ kind: "busy" }, "m");
  expect(credential.cooldownMs("m")).toBe(5000);
  credential.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
  expect(credential.cooldownMs("m")).toBe(20_000);
  expect(credential.health.reason).toBe("busy");
  clock.nowMs += 20_000;
  expect(credential.cooldownMs("m")).toBe(0);
  expect(credential.health).toEqual({ last4: null, coolForMs: 0, reason: undefined, models: [] });
});

test("a rate limit of one model is no cooldown for the others", () => {
  const { credential } = credentialWithClock();
  credential.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "large");
  credential.noteFault({ kind: "busy", retryAfterMs: 1_000 }, "small");
  expect(["large", "small", "other"].map((model) => credential.cooldownMs(model))).toEqual([20_000, 1_000, 0]);
  expect(credential.health).toMatchObject({
    coolForMs: 20_000,
    reason: "busy",
    models: [
      { upstreamModel: "large", coolForMs: 20_000 },
      { upstreamModel: "small", coolForMs: 1_000 },
    ],
  });
});

test("a rejected credential has a cooldown of a minute for every model, and Retry-After is capped at ten", () => {
  const { credential } = credentialWithClock();
  credential.noteFault({ kind: "credential" }, "m");
  expect([credential.cooldownMs("m"), credential.cooldownMs("other")]).toEqual([60_000, 60_000]);
  expect(credential.health).toMatchObject({ coolForMs: 60_000, reason: "credential", models: [] });
  credential.noteFault({ kind: "busy", retryAfterMs: 86_400_000 }, "m");
  expect([credential.cooldownMs("m"), credential.cooldownMs("other")]).toEqual([600_000, 60_000]);
});

test("a shorter cooldown neither shortens a longer one nor replaces its reason", () => {
  const { credential } = credentialWithClock();
  credential.noteFault({ kind: "credential" }, "m");
  credential.noteFault({ kind: "credential", retryAfterMs: 1000 }, "m");
  credential.noteFault({ kind: "busy", retryAfterMs: 1000 }, "m");
  expect(credential.cooldownMs("m")).toBe(60_000);
  expect(credential.health.reason).toBe("credential");
});

test("a failure of the upstream or an unsupported request starts no cooldown", () => {
  const { credential } = credentialWithClock();
  const kinds = ["unreachable", "failed", "slow", "broken", "unsupported"] as const;
  for (const kind of kinds) credential.noteFault({ kind, retryAfterMs: 1000 }, "m");
  expect(credential.cooldownMs("m")).toBe(0);
});

test("a 403 starts a cooldown for its account, and for all when another account receives one; a 401 for all at once", () => {
  const { credential, clock } = credentialWithClock();
  const forbidden = { kind: "credential", mayBeOfRequest: true } as const;
  const cooldowns = (): number[] => ["acme", "other"].map((account) => credential.cooldownMs("m", account));
  credential.noteFault(forbidden, "m", "acme");
  credential.noteFault(forbidden, "m", "acme");
  expect([...cooldowns(), credential.health.coolForMs]).toEqual([60_000, 0, 60_000]);
  clock.nowMs += 50_000;
  credential.noteFault(forbidden, "m", "other");
  expect(cooldowns()).toEqual([60_000, 60_000]);
  clock.nowMs += 60_000;
  credential.noteFault({ kind: "credential" }, "m", "acme");
  expect(cooldowns()).toEqual([60_000, 60_000]);
});
