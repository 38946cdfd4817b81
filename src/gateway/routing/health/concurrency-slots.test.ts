import { drainMicrotasks } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { ManualTimers } from "../../../../test/ledger-model/manual-timers.ts";
import { runs } from "../../../../test/support/long.ts";
import { ask, SlotAsker } from "../../../../test/support/slot-asker.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Slot } from "../slots/slots.ts";
import { ConcurrencySlots } from "./upstream-state.ts";

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

/** Every waiting call arrived after every call that holds a slot. */
function expectInOrder(slots: ConcurrencySlots, askers: readonly SlotAsker[]): void {
  const states = askers.map(({ state }) => state);
  expect(slots.taken).toBe(states.filter((state) => state === "holding").length);
  expect(slots.queued).toBe(states.filter((state) => state === "waiting").length);
  if (states.includes("waiting")) expect(states.lastIndexOf("holding")).toBeLessThan(states.indexOf("waiting"));
}
