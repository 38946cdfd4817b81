import { expect, test } from "bun:test";
import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import { describeCredentials } from "./format-identity.ts";
import { credentialStatus, latencyOf, routeStatus, upstreamStatus } from "./health-status.ts";

type ModelHealth = UpstreamHealth["models"][number];

const HEALTHY = { last4: "abcd", cooldown_ms: 0, reason: null, models: [] } as const;
const COOLING = { last4: "efgh", cooldown_ms: 12_000, reason: "busy", models: [{ model: "m", cooldown_ms: 12_000 }] } as const;
const REJECTED = { last4: "ijkl", cooldown_ms: 60_000, reason: "credential", models: [] } as const;

function model(more: Partial<ModelHealth> = {}): ModelHealth {
  return { model: "m", state: "healthy", probe_in_ms: 0, in_flight: 0, latency_ms: 120, recent_calls: 20, recent_failures: 0, ...more };
}

function health(more: Partial<UpstreamHealth> = {}): UpstreamHealth {
  return { upstream: "u", in_flight: 0, queued: 0, models: [model()], credentials: [HEALTHY], identity: null, ...more };
}

test("gives an upstream the worst status of its models and credentials", () => {
  const labels = [
    health(),
    health({ models: [] }),
    health({ models: [], in_flight: 1 }),
    health({ credentials: [HEALTHY, COOLING] }),
    health({ credentials: [COOLING] }),
    health({ credentials: [COOLING], models: [model(), model({ model: "n" })] }),
    health({ credentials: [REJECTED], models: [] }),
    health({ models: [model(), model({ state: "probing" })] }),
    health({ models: [model(), model({ recent_calls: 5, recent_failures: 3 })] }),
    health({ models: [model({ recent_calls: 6, recent_failures: 3 })] }),
    health({ models: [model({ recent_calls: 1, recent_failures: 1 })] }),
    health({ models: [model(), model({ recent_calls: 4, recent_failures: 4 })] }),
    health({ models: [model(), model({ state: "ejected", probe_in_ms: 3000 })], credentials: [COOLING] }),
  ].map((each) => [upstreamStatus(each).label, upstreamStatus(each).tone].join(" "));
  expect(labels).toEqual([
    "healthy good",
    "no data plain",
    "healthy good",
    "cooling down warn",
    "cooling down bad",
    "cooling down warn",
    "cooling down bad",
    "probing warn",
    "failing warn",
    "healthy good",
    "few requests plain",
    "healthy good",
    "ejected bad",
  ]);
});

test("derives the status of a route from weight and price cap, then model health, then credentials", () => {
  const route = { model: "m", excluded: null } as const;
  const labels = [
    routeStatus({ ...route, excluded: "drained" }, health()),
    routeStatus({ ...route, excluded: "over_price_cap" }, health()),
    routeStatus({ ...route, model: "other" }, health()),
    routeStatus(route, health({ models: [model({ state: "ejected", probe_in_ms: 3000 })], credentials: [COOLING] })),
    routeStatus(route, health({ credentials: [COOLING] })),
    routeStatus(route, health({ credentials: [COOLING, HEALTHY] })),
    routeStatus({ ...route, model: "n" }, health({ credentials: [COOLING], models: [model({ model: "n" })] })),
    routeStatus({ ...route, model: "n" }, health({ credentials: [COOLING, REJECTED], models: [model({ model: "n" })] })),
    routeStatus(route, health({ credentials: [COOLING, REJECTED] })),
    routeStatus(route, health({ credentials: [] })),
    routeStatus(route, health({ models: [model({ recent_calls: 5, recent_failures: 5 })] })),
  ].map(({ label }) => label);
  expect(labels).toEqual([
    "drained",
    "over price cap",
    "no data",
    "ejected",
    "cooling down",
    "healthy",
    "healthy",
    "healthy",
    "cooling down",
    "healthy",
    "failing",
  ]);
});

test("gives the reason and the remaining time of a cooldown", () => {
  expect(credentialStatus(COOLING)).toEqual({
    label: "cooling down",
    tone: "warn",
    detail: "Rate limited: m for 12.0 s.",
  });
  expect(credentialStatus(REJECTED)).toMatchObject({ tone: "bad", detail: expect.stringContaining("Rejected") as string });
});

test("takes the latency of the fastest model", () => {
  expect([latencyOf(health()), latencyOf(health({ models: [model({ latency_ms: null })] }))]).toEqual([120, undefined]);
  expect(latencyOf(health({ models: [model(), model({ latency_ms: 40 })] }))).toBe(40);
});

test("shows an identity that fails, before anything else where it has no valid credentials", () => {
  const failing = { source: null, expires_at: null, failure: "no file /nope", refresh_failures: 1, clock_skew_ms: 0 };
  const expired = { ...failing, source: "a file", expires_at: "2020-01-01T00:00:00.000Z" };
  const valid = { ...expired, expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  for (const identity of [failing, expired]) {
    const status = { label: "no credentials", tone: "bad", detail: "Its identity failed: no file /nope" } as const;
    expect(upstreamStatus(health({ identity, models: [] }))).toEqual(status);
    expect(routeStatus({ model: "m", excluded: null }, health({ identity }))).toEqual(status);
  }
  expect(upstreamStatus(health({ identity: valid }))).toMatchObject({ label: "not refreshed", tone: "warn" });
  expect(upstreamStatus(health({ identity: { ...valid, failure: null } }))).toMatchObject({ label: "healthy" });
  expect([describeCredentials(expired), describeCredentials(valid)]).toEqual([
    expect.stringContaining("expired at 2020") as string,
    expect.stringContaining("valid until") as string,
  ]);
});
