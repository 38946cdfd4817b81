import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { plainModel, type Route } from "../../models/catalog.ts";
import { nextByShare } from "./exact-shares.ts";

const routesOf = (weights: readonly number[]): Route[] =>
  weights.map((weight, at) => ({ ...plainModel("m", { upstream: `u${at}`, upstreamModel: "m" }).routes[0]!, weight }));

const weights = fc.array(fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 1000 })), { minLength: 2, maxLength: 6 });

test("after any number of choices, no route is a whole request away from its share, also where the ready routes change in between", () => {
  const steps = fc.array(fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 12 });
  const property = fc.property(weights, steps, (all, turns) => {
    const routes = routesOf(all);
    const seen = new Map<string, { choices: number; counts: number[] }>();
    for (const [mask, times] of turns) {
      const some = routes.filter((_, at) => (mask >> at) % 2 === 1);
      const ready = some.length < 2 ? routes : some;
      const total = ready.reduce((sum, { weight }) => sum + weight, 0);
      const name = ready.map(({ upstream }) => upstream).join();
      const known = seen.get(name) ?? { choices: 0, counts: ready.map(() => 0) };
      seen.set(name, known);
      for (let at = 0; at < times; at++) {
        known.counts[nextByShare(routes, ready, true)]!++;
        known.choices++;
        // In whole numbers: |count - choices × weight / total| < 1.
        ready.forEach(({ weight }, which) => {
          expect(Math.abs(known.counts[which]! * total - known.choices * weight)).toBeLessThan(total);
        });
      }
    }
  });
  fc.assert(property, runs(300));
});

test("a dry run counts nothing", () => {
  const routes = routesOf([1, 1]);
  expect([nextByShare(routes, routes, false), nextByShare(routes, routes, false)]).toEqual([0, 0]);
  expect([nextByShare(routes, routes, true), nextByShare(routes, routes, true)]).toEqual([0, 1]);
});
