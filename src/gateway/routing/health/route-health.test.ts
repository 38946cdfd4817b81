import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import type { CircuitChange, RouteCall } from "./circuit-breaker.ts";
import { RouteHealth } from "./route-health.ts";

/** A route's health with a manual clock. */
function healthWithClock(): { health: RouteHealth; clock: { nowMs: number } } {
  const clock = { nowMs: 1000 };
  return { clock, health: new RouteHealth(() => clock.nowMs) };
}

function fail(health: RouteHealth, times = 1): void {
  for (let count = 0; count < times; count++) health.failed(health.begin(), 1);
}

function succeed(health: RouteHealth, latencyMs = 50, call = health.begin()): void {
  health.responded(call, latencyMs);
  health.succeeded(call);
}

/** Ejects the route, and advances the clock until it is half-open. */
function makeDue({ health, clock }: ReturnType<typeof healthWithClock>): void {
  fail(health, 5);
  clock.nowMs += 5000;
}

function failFor(health: RouteHealth, account: string, times = 1): void {
  for (let count = 0; count < times; count++) health.failed(health.begin(account), 1);
}

/** For two accounts, and for a call whose account is unknown. */
function statesOf(health: RouteHealth): string[] {
  return ["acme", "other", undefined].map((account) => health.stateFor(account));
}

describe("failures of one account alone", () => {
  test("eject the route for it; a failure of another account ejects it for all", () => {
    const { health } = healthWithClock();
    failFor(health, "acme", 5);
    expect([health.state, ...statesOf(health)]).toEqual(["ejected", "ejected", "healthy", "healthy"]);
    failFor(health, "other");
    expect(statesOf(health)).toEqual(["ejected", "ejected", "ejected"]);
  });

  test("are proved wrong by a success of another account", () => {
    const { health } = healthWithClock();
    failFor(health, "acme", 5);
    succeed(health, 50, health.begin("other"));
    expect(statesOf(health)).toEqual(["healthy", "healthy", "healthy"]);
  });

  test("eject it for all where others have failed among them, and not where they have succeeded", () => {
    const { health } = healthWithClock();
    failFor(health, "acme", 4);
    failFor(health, "other");
    expect(statesOf(health)).toEqual(["ejected", "ejected", "ejected"]);
    const { health: mixed } = healthWithClock();
    for (let pair = 0; pair < 10; pair++) {
      succeed(mixed, 50, mixed.begin("other"));
      failFor(mixed, "acme");
    }
    expect(statesOf(mixed)).toEqual(["ejected", "healthy", "healthy"]);
  });

  test("keep it ejected for that account while its probes fail", () => {
    const { health, clock } = healthWithClock();
    failFor(health, "acme", 5);
    clock.nowMs += 5000;
    expect(statesOf(health)).toEqual(["probing", "healthy", "healthy"]);
    failFor(health, "acme");
    expect([health.probeDueInMs, ...statesOf(health)]).toEqual([10_000, "ejected", "healthy", "healthy"]);
  });

  test("are long waits that it did not wait for, too", () => {
    const { health } = healthWithClock();
    for (let count = 0; count < 5; count++) health.abandoned(health.begin("acme"), 30_000);
    expect(statesOf(health)).toEqual(["ejected", "healthy", "healthy"]);
  });

  test("are followed by other processes for the same account", () => {
    const changes: CircuitChange[] = [];
    const clock = { nowMs: 0 };
    const [health, follower] = [
      new RouteHealth(
        () => clock.nowMs,
        (change) => changes.push(change),
      ),
      new RouteHealth(() => clock.nowMs),
    ];
    failFor(health, "acme", 5);
    follower.follow(changes.at(-1)!);
    expect(statesOf(follower)).toEqual(["ejected", "healthy", "healthy"]);
    failFor(follower, "other");
    expect(statesOf(follower)).toEqual(["ejected", "ejected", "ejected"]);
    failFor(health, "other");
    follower.follow(changes.at(-1)!);
    expect(statesOf(follower)).toEqual(["ejected", "ejected", "ejected"]);
  });
});

describe("a route is ejected", () => {
  test("after five consecutive failures, and not after four", () => {
    const { health } = healthWithClock();
    fail(health, 4);
    expect(health.state).toBe("healthy");
    succeed(health);
    fail(health, 4);
    expect(health.state).toBe("healthy");
    fail(health);
    expect(health.state).toBe("ejected");
  });

  test("when half of its last twenty calls failed, and not before there were twenty", () => {
    const { health } = healthWithClock();
    for (let pair = 0; pair < 9; pair++) {
      succeed(health);
      fail(health);
    }
    succeed(health);
    expect(health.state).toBe("healthy");
    expect(health.recent).toEqual({ calls: 19, failures: 9 });
    fail(health);
    expect(health.state).toBe("ejected");
  });

  test("after five consecutive streams that it broke off, although each had started", () => {
    const { health } = healthWithClock();
    for (let count = 0; count < 5; count++) {
      const call = health.begin();
      health.responded(call, 20);
      health.failed(call, 0);
    }
    expect(health.state).toBe("ejected");
  });

  test("not for faults of clients and credentials", () => {
    const { health } = healthWithClock();
    for (let count = 0; count < 50; count++) health.rejected(health.begin());
    for (let count = 0; count < 50; count++) health.abandoned(health.begin(), 29_999);
    expect(health.state).toBe("healthy");
    expect(health.recent).toEqual({ calls: 0, failures: 0 });
  });

  test("although rejected requests occur between its failures", () => {
    const { health } = healthWithClock();
    for (let count = 0; count < 5; count++) {
      health.rejected(health.begin());
      fail(health);
    }
    expect(health.state).toBe("ejected");
  });

  test("when five consecutive clients waited long without a response", () => {
    const { health } = healthWithClock();
    for (let count = 0; count < 4; count++) health.abandoned(health.begin(), 30_000);
    succeed(health);
    for (let count = 0; count < 4; count++) health.abandoned(health.begin(), 30_000);
    expect(health.state).toBe("healthy");
    health.abandoned(health.begin(), 30_000);
    expect(health.state).toBe("ejected");
  });
});

describe("an ejected route", () => {
  test("is half-open after 5 s, then 10 s, doubling up to 300 s while its probes fail", () => {
    const { health, clock } = healthWithClock();
    fail(health, 5);
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      expect(health.probeDueInMs).toBe(seconds * 1000);
      clock.nowMs += seconds * 1000 - 1;
      expect(health.state).toBe("ejected");
      clock.nowMs += 1;
      expect(health.state).toBe("probing");
      fail(health);
    }
  });

  test("gets one probe at a time", () => {
    const at = healthWithClock();
    makeDue(at);
    const probe = at.health.begin();
    expect(at.health.state).toBe("ejected");
    at.health.failed(at.health.begin(), 1);
    at.health.rejected(at.health.begin());
    at.health.abandoned(at.health.begin(), 60_000);
    expect(at.health.state).toBe("ejected");
    expect(at.health.probeDueInMs).toBe(0);
    at.health.responded(probe, 10);
    expect(at.health.state).toBe("healthy");
  });

  test("recovers with the first byte of its probe, and starts again at 5 s after a complete response", () => {
    const at = healthWithClock();
    const { health, clock } = at;
    makeDue(at);
    fail(health);
    clock.nowMs += 10_000;
    succeed(health);
    expect(health.state).toBe("healthy");
    expect(health.recent).toEqual({ calls: 1, failures: 0 });
    fail(health, 5);
    expect(health.probeDueInMs).toBe(5000);
  });

  test("is ejected again at once, for longer, where it breaks off the response to its probe", () => {
    const at = healthWithClock();
    makeDue(at);
    const probe = at.health.begin();
    at.health.responded(probe, 10);
    at.health.failed(probe, 0);
    expect(at.health.state).toBe("ejected");
    expect(at.health.probeDueInMs).toBe(10_000);
  });

  test("stays half-open where its probe was a rejected request", () => {
    const at = healthWithClock();
    makeDue(at);
    at.health.rejected(at.health.begin());
    expect(at.health.state).toBe("probing");
  });

  test("stays ejected for another period where the client of its probe disconnected", () => {
    const at = healthWithClock();
    makeDue(at);
    for (let count = 0; count < 3; count++) {
      at.health.abandoned(at.health.begin(), 100);
      expect(at.health.state).toBe("ejected");
      expect(at.health.probeDueInMs).toBe(5000);
      at.clock.nowMs += 5000;
    }
    expect(at.health.state).toBe("probing");
  });

  test("ignores calls from before the ejection", () => {
    const at = healthWithClock();
    const before = [at.health.begin(), at.health.begin(), at.health.begin()] as const;
    makeDue(at);
    const probe = at.health.begin();
    succeed(at.health, 5, before[0]);
    at.health.failed(before[1], 1);
    at.health.abandoned(before[2], 60_000);
    expect(at.health.state).toBe("ejected");
    at.health.failed(probe, 1);
    expect(at.health.probeDueInMs).toBe(10_000);
  });

  test("recovers where a call that had no other route succeeds", () => {
    const { health } = healthWithClock();
    fail(health, 5);
    succeed(health);
    expect(health.state).toBe("healthy");
  });
});

describe("the latency of a route", () => {
  test("is unknown before its first response", () => {
    const { health } = healthWithClock();
    expect(health.latencyMs).toBeUndefined();
    fail(health);
    expect(health.latencyMs).toBeUndefined();
  });

  test("rises at once, falls gradually, and decays", () => {
    const { health, clock } = healthWithClock();
    succeed(health, 100);
    succeed(health, 1000);
    expect(health.latencyMs).toBe(1000);
    clock.nowMs += 1000;
    succeed(health, 100);
    expect(health.latencyMs).toBeGreaterThan(800);
    clock.nowMs += 60_000;
    expect(health.latencyMs).toBeLessThan(5);
  });

  test("does not decay while a call is in flight: a route that hangs must not look fast", () => {
    const { health, clock } = healthWithClock();
    succeed(health, 100);
    const hanging = health.begin();
    clock.nowMs += 120_000;
    expect(health.latencyMs).toBe(100);
    health.abandoned(hanging, 1);
    expect(health.latencyMs).toBeLessThan(1);
  });

  test("does not fall with fast failures, and rises with slow ones", () => {
    const { health } = healthWithClock();
    succeed(health, 100);
    health.failed(health.begin(), 1);
    expect(health.latencyMs).toBe(100);
    health.failed(health.begin(), 3000);
    expect(health.latencyMs).toBe(3000);
  });

  test("is reset when it recovers, as its failures are", () => {
    const at = healthWithClock();
    succeed(at.health, 100);
    at.health.failed(at.health.begin(), 60_000);
    makeDue(at);
    succeed(at.health, 40);
    expect(at.health.latencyMs).toBe(40);
    expect(at.health.failureRate).toBe(0);
  });
});

test("a failure counts less with time, and less among many calls", () => {
  const { health, clock } = healthWithClock();
  fail(health);
  expect(health.failureRate).toBeCloseTo(1 / 3, 5);
  clock.nowMs += 5000;
  expect(health.failureRate).toBeLessThan(0.05);
  for (let count = 0; count < 97; count++) succeed(health);
  fail(health);
  expect(health.failureRate).toBeLessThan(0.02);
});

/** The events of a route. */
const EVENTS = fc.array(fc.tuple(fc.constantFrom("begin", "answer", "succeed", "fail", "refuse", "abandon", "wait"), fc.nat(20)), {
  maxLength: 200,
  size: "max",
});

test("in any order of events, calls in flight are counted exactly, and an ejected route is always probed again", () => {
  fc.assert(
    fc.property(EVENTS, (happenings) => {
      const { health, clock } = healthWithClock();
      const open: RouteCall[] = [];
      const ends: Record<string, (call: RouteCall) => void> = {
        succeed: (call) => health.succeeded(call),
        fail: (call) => health.failed(call, 10),
        refuse: (call) => health.rejected(call),
        abandon: (call) => health.abandoned(call, 40_000),
      };
      for (const [what, which] of happenings) {
        if (what === "begin") open.push(health.begin());
        else if (what === "wait") clock.nowMs += which * 1000;
        else if (what === "answer") open.slice(which, which + 1).forEach((call) => health.responded(call, 5));
        else open.splice(which, 1).forEach(ends[what]!);
        expect(health.inFlight).toBe(open.length);
      }
      for (const call of open) health.rejected(call);
      expect(health.inFlight).toBe(0);
      clock.nowMs += 300_000;
      expect(health.state).not.toBe("ejected");
      succeed(health);
      expect(health.state).toBe("healthy");
    }),
    runs(300),
  );
});

test("the latency of a route that hangs is at least the wait of its clients, however short their timeouts are", () => {
  const { health } = healthWithClock();
  health.abandoned(health.begin(), 200);
  expect(health.latencyMs).toBe(200);
  health.abandoned(health.begin(), 150);
  expect(health.latencyMs).toBe(200);
  health.abandoned(health.begin(), 900);
  expect(health.latencyMs).toBe(900);
  expect(health.state).toBe("healthy");
});
