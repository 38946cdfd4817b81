import { expect, test } from "bun:test";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import { plainModel } from "../../models/catalog.ts";
import type { ModelHealth, RouteState } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { isOfRemovedRoute, checkUpstreamEjection } from "./upstream-ejection.ts";

const MINUTE_MS = 60_000;
const WORKS = { calls: 3, failures: 1 };
const FAILS = { calls: 5, failures: 5 };
const UPSTREAM: UpstreamSettings = { id: "u", dialect: "echo" };

/** Counts how often the whole catalog was iterated. */
class CountedMap<K, V> extends Map<K, V> {
  passes = 0;

  override values(): MapIterator<V> {
    this.passes++;
    return super.values();
  }
}

/** One route, and the raised alerts. */
class WatchedRoute {
  readonly marks = new Map<string, Mark>();
  readonly catalog = new CountedMap([["m", plainModel("m", { upstream: "u", upstreamModel: "their m" })]]);

  /** The alerts of a check in this minute, with the route in this state; undefined for a route that was never called. */
  check(minute: number, state: RouteState | undefined, recent = state === "healthy" ? WORKS : FAILS): unknown[] {
    const health: ModelHealth = { upstreamModel: "their m", state: state!, probeDueInMs: 0, inFlight: 0, latencyMs: undefined, recent };
    const routes = {
      upstreams: new Map([["u", UPSTREAM]]),
      catalog: this.catalog,
      healthOf: () => ({ inFlight: 0, queued: 0, credentials: [], models: state === undefined ? [] : [health] }),
    };
    return checkUpstreamEjection(routes, this.marks, 1_000_000_000 + minute * MINUTE_MS).flatMap(({ subject, mark, alert }) => {
      if (mark) this.marks.set(subject, mark);
      else this.marks.delete(subject);
      return alert ? [[alert.kind, alert.data]] : [];
    });
  }

  kinds(minute: number, ...state: [RouteState | undefined, typeof WORKS?]): unknown[] {
    return this.check(minute, ...state).map((told) => (told as [string])[0]);
  }
}

test("alerts once when a route is ejected, and once when it is restored", () => {
  const route = new WatchedRoute();
  const names = { upstream: "u", upstream_model: "their m", models: ["m"] };
  expect(route.check(0, "healthy")).toEqual([]);
  expect(route.check(1, "ejected")).toEqual([["upstream.ejected", { ...names, recent_calls: 5, recent_failures: 5 }]]);
  expect([route.check(2, "ejected"), route.check(3, "probing"), route.check(90, "ejected")]).toEqual([[], [], []]);
  expect(route.check(91, "healthy")).toEqual([["upstream.restored", names]]);
  expect([route.check(92, "healthy"), route.marks.size]).toEqual([[], 0]);
});

test("an alert that was raised while the clock was ahead is raised again after the clock is corrected", () => {
  const route = new WatchedRoute();
  expect([route.kinds(9000, "ejected"), route.kinds(9001, "healthy")]).toEqual([["upstream.ejected"], ["upstream.restored"]]);
  expect([route.kinds(0, "ejected"), route.kinds(1, "ejected")]).toEqual([["upstream.ejected"], []]);
});

test("alerts at most once in ten minutes for a flapping route", () => {
  const route = new WatchedRoute();
  const told = Array.from({ length: 31 }, (_, minute) => route.kinds(minute, minute % 2 === 0 ? "ejected" : "healthy")).flat();
  const twice = ["upstream.ejected", "upstream.restored"];
  expect(told).toEqual([...twice, ...twice, ...twice, "upstream.ejected"]);
});

test("alerts after the ten minutes for a route that was restored and is ejected permanently", () => {
  const route = new WatchedRoute();
  expect([route.kinds(0, "ejected"), route.kinds(1, "healthy"), route.kinds(2, "ejected"), route.kinds(9, "probing")]).toEqual([
    ["upstream.ejected"],
    ["upstream.restored"],
    [],
    [],
  ]);
  expect(route.kinds(10, "probing")).toEqual(["upstream.ejected"]);
});

test("after a restart a route is restored only after a successful call", () => {
  const route = new WatchedRoute();
  route.check(0, "ejected");
  expect([route.kinds(1, undefined), route.kinds(2, "healthy", { calls: 0, failures: 0 }), route.kinds(3, "healthy", FAILS)]).toEqual([
    [],
    [],
    [],
  ]);
  expect(route.kinds(4, "healthy", WORKS)).toEqual(["upstream.restored"]);
});

test("searches all models only for an alert, because there may be thousands of routes", () => {
  const route = new WatchedRoute();
  for (const state of ["healthy", "ejected", "ejected", "healthy", "healthy"] as const) route.check(0, state);
  expect(route.catalog.passes).toBe(2);
});

test("recognizes marks of a removed upstream", () => {
  const route = new WatchedRoute();
  route.check(0, "ejected");
  const [subject] = route.marks.keys();
  expect([
    isOfRemovedRoute(subject!, new Map()),
    isOfRemovedRoute(subject!, new Map([["u", 1]])),
    isOfRemovedRoute("credit u", new Map()),
  ]).toEqual([true, false, false]);
});
