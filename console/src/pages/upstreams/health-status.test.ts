import { expect, test } from "bun:test";
import type { UpstreamHealth } from "../../platform/interface.ts";
import { credentialStanding, latencyOf, routeStanding, upstreamStanding } from "./health-status.ts";

type ModelHealth = UpstreamHealth["models"][number];

const WELL = { last4: "abcd", cooling_for_ms: 0, reason: null, models: [] } as const;
const COOL = { last4: "efgh", cooling_for_ms: 12_000, reason: "busy", models: [{ model: "m", cooling_for_ms: 12_000 }] } as const;
const REFUSED = { last4: "ijkl", cooling_for_ms: 60_000, reason: "credential", models: [] } as const;

function model(more: Partial<ModelHealth> = {}): ModelHealth {
  return { model: "m", state: "in", due_in_ms: 0, in_flight: 0, latency_ms: 120, recent_calls: 20, recent_failures: 0, ...more };
}

function health(more: Partial<UpstreamHealth> = {}): UpstreamHealth {
  return { upstream: "u", in_flight: 0, queued: 0, models: [model()], credentials: [WELL], ...more };
}

test("an upstream fares as the worst of what is known of it", () => {
  const words = [
    health(),
    health({ models: [] }),
    health({ models: [], in_flight: 1 }),
    health({ credentials: [WELL, COOL] }),
    health({ credentials: [COOL] }),
    health({ credentials: [COOL], models: [model(), model({ model: "n" })] }),
    health({ credentials: [REFUSED], models: [] }),
    health({ models: [model(), model({ state: "due" })] }),
    health({ models: [model(), model({ recent_calls: 4, recent_failures: 3 })] }),
    health({ models: [model({ recent_calls: 4, recent_failures: 2 })] }),
    health({ models: [model(), model({ state: "out", due_in_ms: 3000 })], credentials: [COOL] }),
  ].map((each) => [upstreamStanding(each).word, upstreamStanding(each).tone].join(" "));
  expect(words).toEqual([
    "working good",
    "not known yet plain",
    "working good",
    "cooling down warn",
    "cooling down bad",
    "cooling down warn",
    "cooling down bad",
    "on trial warn",
    "failing warn",
    "working good",
    "left out bad",
  ]);
});

test("the status of a route follows from its weight and price first, then its own name, then the credentials", () => {
  const route = { model: "m", left_out: null } as const;
  const words = [
    routeStanding({ ...route, left_out: "drained" }, health()),
    routeStanding({ ...route, left_out: "too_dear" }, health()),
    routeStanding({ ...route, model: "other" }, health()),
    routeStanding(route, health({ models: [model({ state: "out", due_in_ms: 3000 })], credentials: [COOL] })),
    routeStanding(route, health({ credentials: [COOL] })),
    routeStanding(route, health({ credentials: [COOL, WELL] })),
    routeStanding({ ...route, model: "n" }, health({ credentials: [COOL], models: [model({ model: "n" })] })),
    routeStanding({ ...route, model: "n" }, health({ credentials: [COOL, REFUSED], models: [model({ model: "n" })] })),
    routeStanding(route, health({ credentials: [COOL, REFUSED] })),
    routeStanding(route, health({ credentials: [] })),
    routeStanding(route, health({ models: [model({ recent_calls: 4, recent_failures: 4 })] })),
  ].map(({ word }) => word);
  expect(words).toEqual([
    "drained",
    "too dear",
    "not known yet",
    "left out",
    "cooling down",
    "working",
    "working",
    "working",
    "cooling down",
    "working",
    "failing",
  ]);
});

test("a credential that is left alone says why and for how long", () => {
  expect(credentialStanding(COOL)).toEqual({
    word: "cooling down",
    tone: "warn",
    more: "It has reached a rate limit: m for another 12.0 s.",
  });
  expect(credentialStanding(REFUSED)).toMatchObject({ tone: "bad", more: expect.stringContaining("refused") as string });
});

test("an upstream is as far away as the quickest of its models", () => {
  expect([latencyOf(health()), latencyOf(health({ models: [model({ latency_ms: null })] }))]).toEqual([120, undefined]);
  expect(latencyOf(health({ models: [model(), model({ latency_ms: 40 })] }))).toBe(40);
});
