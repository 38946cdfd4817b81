import { expect, test } from "bun:test";
import { Candidates, eject, respond } from "../../../test/routes/candidates.ts";
import { SeededRandom } from "../../../test/support/random.ts";
import { plainModel } from "../../models/catalog.ts";
import type { Selection } from "../../models/selection.ts";
import { makePrice } from "../../money/price.ts";
import type { Candidate } from "./route-candidates.ts";
import { RouteChoice, type Target } from "./route-choice.ts";
import { selectionOf } from "./select-route.ts";

const seeded = new SeededRandom(7);

function choose(group: readonly Candidate[], selection: Selection, model = modelOf(group)): Target {
  return new RouteChoice(group, undefined, selectionOf({ ...model, selection }, 1, false), () => seeded.next()).next()!;
}

function modelOf(group: readonly Candidate[]): ReturnType<typeof plainModel> {
  return { ...plainModel("m", group[0]!.route), routes: group.map(({ route }) => route) };
}

const names = (group: readonly Candidate[], selection: Selection, times: number): string[] => {
  const model = modelOf(group);
  return Array.from({ length: times }, () => choose(group, selection, model).route.upstream);
};

const priced = (candidate: Candidate, picos: bigint): Candidate => {
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
  return { ...candidate, route: { ...candidate.route, cost: makePrice({ effectiveAtMs: 0, source: "operator", rates, tiers: [] }) } };
};

test("exact keeps the weights whatever the load and the latency are", () => {
  const make = new Candidates();
  const [three, one] = [make.make("three", { weight: 3 }), make.make("one")];
  respond(three, 5000);
  respond(one, 10);
  for (let at = 0; at < 50; at++) three.health.begin();
  const chosen = names([three, one], "exact", 8);
  expect(chosen.filter((name) => name === "three")).toHaveLength(6);
  expect(choose([three, one], "exact").reason).toBe("exact");
});

test("least_busy takes the route with the fewest requests in flight", () => {
  const make = new Candidates();
  const [busy, idle] = [make.make("busy", { weight: 1000 }), make.make("idle")];
  busy.health.begin();
  expect(names([busy, idle], "least_busy", 5)).toEqual(Array(5).fill("idle"));
});

test("lowest_latency tries routes without a figure, by one request each, and then takes the fastest", () => {
  const make = new Candidates();
  const [slow, fast, fresh] = [make.make("slow", { weight: 1000 }), make.make("fast"), make.make("fresh")];
  respond(slow, 900);
  respond(fast, 20);
  const group = [slow, fast, fresh];
  expect(names(group, "lowest_latency", 1)).toEqual(["fresh"]);
  fresh.health.begin();
  expect(names(group, "lowest_latency", 5)).toEqual(Array(5).fill("fast"));
});

test("lowest_cost takes the cheapest route, and one whose cost is unknown last", () => {
  const make = new Candidates();
  const [unknown, expensive, cheap] = [
    make.make("unknown", { weight: 1000 }),
    priced(make.make("expensive"), 9n),
    priced(make.make("cheap"), 2n),
  ];
  expect(names([unknown, expensive, cheap], "lowest_cost", 3)).toEqual(["cheap", "cheap", "cheap"]);
  expect(names([unknown, expensive], "lowest_cost", 3)).toEqual(["expensive", "expensive", "expensive"]);
});

test("priority and health come first", () => {
  const make = new Candidates();
  const [cheap, expensive] = [priced(make.make("cheap"), 1n), priced(make.make("expensive"), 9n)];
  const later = priced(make.make("later", { priority: 2 }), 0n);
  expect(names([later, expensive, cheap], "lowest_cost", 1)).toEqual(["cheap"]);
  eject(cheap);
  expect(choose([later, expensive, cheap], "lowest_cost")).toMatchObject({ reason: "only", route: { upstream: "expensive" } });
});
