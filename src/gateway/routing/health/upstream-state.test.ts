import { expect, test } from "bun:test";
import { Candidates, eject, respond } from "../../../../test/routes/candidates.ts";
import { UpstreamStates, type HealthObserver, ConcurrencySlots } from "./upstream-state.ts";

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
