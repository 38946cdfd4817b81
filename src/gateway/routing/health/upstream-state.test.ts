import { expect, test, afterAll, beforeAll, describe } from "bun:test";
import { Candidates, eject, respond } from "../../../../test/routes/candidates.ts";
import { UpstreamStates, type HealthObserver, ConcurrencySlots, Credential } from "./upstream-state.ts";
import { drainMicrotasks } from "bun:jsc";
import * as fc from "fast-check";
import { ManualTimers } from "../../../../test/ledger-model/manual-timers.ts";
import { runs } from "../../../../test/support/long.ts";
import { ask, SlotAsker } from "../../../../test/support/slot-asker.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Slot } from "../slots/slots.ts";

test("reports the time to first byte of the last response without decay", () => {
  const candidates = new Candidates();
  const route = candidates.make("slow");
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: undefined }]);
  respond(route, 3000);
  respond(route, 2000);
  route.health.failed(route.health.begin(), 9000);
  candidates.nowMs += 12 * 60_000;
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: 2000, recent: { calls: 3, failures: 1 } }]);
});

test("takes its slots from those that processes share, and tells them what its calls show", () => {
  const { upstream } = new Candidates().make("u", { credentials: 2, concurrency: { maxCalls: 3, maxQueued: 0, maxWaitMs: 1 } });
  const shared = new ConcurrencySlots({ maxCalls: 1, maxQueued: 0, maxWaitMs: 1 });
  const [slotsOf, told]: unknown[][] = [[], []];
  const observer: HealthObserver = {
    circuitChanged: ({ id }, ...change) => told!.push([id, ...change]),
    cooldownStarted: ({ id }, ...cooldown) => told!.push([id, ...cooldown]),
  };
  const slots = { of: (...of: unknown[]): ConcurrencySlots => (slotsOf!.push(of), shared) };
  const state = new UpstreamStates(() => 0, { slots, observer }).of(upstream);
  expect(state.slots).toBe(shared);
  expect(slotsOf).toEqual([["u", { maxCalls: 3, maxQueued: 0, maxWaitMs: 1 }]]);
  eject({ health: state.healthOf("m") });
  state.credentials[1]!.noteFault({ kind: "busy", retryAfterMs: 700 }, "m");
  expect(told).toEqual([
    ["u", "m", { kind: "ejected", forMs: 5000, consecutive: 1 }],
    ["u", 1, { reason: "busy", upstreamModel: "m", forMs: 700 }],
  ]);
});

describe("concurrency slots", () => {
  const timers = new ManualTimers();
  beforeAll(() => timers.install());
  afterAll(() => timers.uninstall());

  describe("slots", () => {
    test("are taken at once, then in order of arrival, and rejected where the queue is full", () => {
      const slots = new ConcurrencySlots({ maxCalls: 2, maxQueued: 2, maxWaitMs: 1000 });
      const [first, second, third, fourth, fifth] = ask(slots, 5) as [SlotAsker, SlotAsker, SlotAsker, SlotAsker, SlotAsker];
      expect([first, second, third, fourth, fifth].map(({ state }) => state)).toEqual(["holding", "holding", "waiting", "waiting", "done"]);
      expect(fifth.failure).toMatchObject({ code: "overloaded", retryAfterSeconds: 1 });
      second.release();
      drainMicrotasks();
      expect([third.state, fourth.state]).toEqual(["holding", "waiting"]);
      expect(new SlotAsker(slots).state).toBe("waiting");
    });

    test("are released once, however often release is called", () => {
      const slots = new ConcurrencySlots({ maxCalls: 2, maxQueued: 0, maxWaitMs: 1000 });
      const slot = slots.take(new AbortController().signal) as Slot;
      void slots.take(new AbortController().signal);
      slot.release();
      slot.release();
      expect(slots.taken).toBe(1);
    });

    test("are not passed to calls whose client disconnected or whose wait timed out", () => {
      const slots = new ConcurrencySlots({ maxCalls: 1, maxQueued: 2, maxWaitMs: 1000 });
      const [holder, leaver, waiter] = ask(slots, 3) as [SlotAsker, SlotAsker, SlotAsker];
      leaver.controller.abort();
      drainMicrotasks();
      expect(leaver.failure).toBeInstanceOf(CallerGone);
      expect(slots.queued).toBe(1);
      timers.fireTimeouts();
      expect(waiter.failure).toBeInstanceOf(ApiError);
      expect(slots.queued).toBe(0);
      holder.release();
      expect(slots.taken).toBe(0);
      expect(timers.timeouts).toBe(0);
    });

    test("are not lost to a client that disconnects at the moment of a release", () => {
      const slots = new ConcurrencySlots({ maxCalls: 1, maxQueued: 2, maxWaitMs: 1000 });
      const [holder, leaver, next] = ask(slots, 3) as [SlotAsker, SlotAsker, SlotAsker];
      leaver.controller.abort();
      holder.release();
      drainMicrotasks();
      expect(next.state).toBe("holding");
    });
  });

  /** An event, and the call that it concerns. In between, promises may or may not have settled yet. */
  const STEPS = fc.array(fc.tuple(fc.constantFrom("ask", "give back", "leave", "time out", "drain"), fc.nat(30)), {
    maxLength: 120,
    size: "max",
  });

  test("in any order of takes, releases, disconnects and timeouts, no slot is lost or duplicated, and no call is overtaken", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(4), STEPS, (maxCalls, maxQueued, steps) => {
        const slots = new ConcurrencySlots({ maxCalls, maxQueued, maxWaitMs: 1000 });
        const askers: SlotAsker[] = [];
        const holding = (): SlotAsker[] => askers.filter(({ state }) => state === "holding");
        for (const [step, which] of steps) {
          if (step === "ask") askers.push(new SlotAsker(slots));
          else if (step === "give back") holding()[which % maxCalls]?.release();
          else if (step === "leave") askers[which]?.controller.abort();
          else if (step === "time out") timers.fireTimeouts();
          else drainMicrotasks();
          expect(slots.taken).toBeLessThanOrEqual(maxCalls);
          expect(slots.queued).toBeLessThanOrEqual(maxQueued);
          expect(slots.queued === 0 || slots.taken === maxCalls).toBe(true);
          if (step === "drain") expectInOrder(slots, askers);
        }
        drainMicrotasks();
        expectInOrder(slots, askers);
        for (let holders = holding(); holders.length > 0; holders = holding()) {
          holders[0]!.release();
          drainMicrotasks();
        }
        expect([slots.taken, slots.queued, timers.timeouts]).toEqual([0, 0, 0]);
        expect(askers.every(({ state }) => state === "done")).toBe(true);
      }),
      runs(500),
    );
  });

  /** Expects that every waiting call arrived after every call that holds a slot. */
  function expectInOrder(slots: ConcurrencySlots, askers: readonly SlotAsker[]): void {
    const states = askers.map(({ state }) => state);
    expect(slots.taken).toBe(states.filter((state) => state === "holding").length);
    expect(slots.queued).toBe(states.filter((state) => state === "waiting").length);
    if (states.includes("waiting")) expect(states.lastIndexOf("holding")).toBeLessThan(states.indexOf("waiting"));
  }
});

describe("credential cooldown", () => {
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

  test("a rate limit of one model does not put the others into cooldown", () => {
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
});
