import { expect, test } from "bun:test";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import { BoundedNames } from "./bounded-names.ts";
import { IdentityMetrics } from "./identity-metrics.ts";

const NOW_MS = 1_000_000;

function health(expiresAtMs: number | undefined, refreshFailures: number): UpstreamHealth {
  const identity = { source: "a file", expiresAtMs, failure: undefined, refreshFailures, clockSkewMs: 0 };
  return { inFlight: 0, queued: 0, models: [], credentials: [], identity };
}

function scrape(metrics: IdentityMetrics, ...all: [string, UpstreamHealth][]): unknown[] {
  return metrics.families(all).map((family) => [...family.cells()]);
}

test("shows the seconds to the expiry, and counts failures also when the settings change", () => {
  const metrics = new IdentityMetrics(new BoundedNames(10), () => NOW_MS);
  const without = { inFlight: 0, queued: 0, models: [], credentials: [] };
  expect(scrape(metrics, ["a", health(NOW_MS + 90_000, 2)], ["b", health(undefined, 0)], ["c", without])).toEqual([
    [['upstream="a"', 90]],
    [
      ['upstream="a"', 2],
      ['upstream="b"', 0],
    ],
  ]);
  const failures = [3, 3, 1, 2].map((count) => (scrape(metrics, ["a", health(NOW_MS - 1000, count)])[1] as [string, number][])[0]![1]);
  expect(failures).toEqual([3, 3, 4, 5]);
  expect(scrape(metrics, ["a", health(NOW_MS - 1000, 2)])[0]).toEqual([['upstream="a"', -1]]);
});
