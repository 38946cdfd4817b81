import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { Candidates, eject, respond } from "../../../test/routes/candidates.ts";
import { SeededRandom } from "../../../test/support/random.ts";
import {
  RouteChoice,
  type FailureScope,
  type Target,
  type Candidate,
  findCandidates,
  statusOf,
  selectionOf,
  nextByShare,
  affinity,
  sessionOf,
} from "./route-choice.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { plainModel, type MaxPrice, type Model, type Route } from "../../models/catalog.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { PresetId } from "../../models/presets.ts";
import { FREE, makePrice, type Price } from "../../money/price.ts";
import { MemoryLimitStore } from "../../stores/limits/memory-limit-store.ts";
import { UpstreamStates } from "./health/upstream-state.ts";
import type { Selection } from "../../models/selection.ts";
import { runs } from "../../../test/support/long.ts";

describe("route choice", () => {
  const seeded = new SeededRandom(7);
  const random = (): number => seeded.next();

  function choose(candidates: readonly Candidate[], conversation?: bigint): RouteChoice {
    return new RouteChoice(candidates, conversation, undefined, random);
  }

  function first(candidates: readonly Candidate[], conversation?: bigint): string {
    return choose(candidates, conversation).next()!.route.upstream;
  }

  /** The first targets of this many requests. */
  function count(candidates: readonly Candidate[], times: number, conversationOf?: (at: number) => bigint): Record<string, number> {
    const counts: Record<string, number> = {};
    for (let at = 0; at < times; at++) {
      const chosen = first(candidates, conversationOf?.(at));
      counts[chosen] = (counts[chosen] ?? 0) + 1;
    }
    return counts;
  }

  /** The targets of one request whose attempts all fail. */
  function orderOf(choice: RouteChoice, scope: FailureScope = "route"): string[] {
    const order: string[] = [];
    for (let target = choice.next(); target; target = choice.next()) {
      order.push(nameOf(target));
      choice.exclude(target, scope);
    }
    return order;
  }

  function nameOf({ route, state, credential }: Target): string {
    return `${route.upstream} ${state.credentials.indexOf(credential)}`;
  }

  function nth(at: number): bigint {
    return Bun.hash.wyhash(`conversation ${at}`);
  }

  describe("the first route", () => {
    test("has the lowest priority that has a ready route", () => {
      const make = new Candidates();
      const group = [make.make("spare", { priority: 2 }), make.make("main"), make.make("last", { priority: 3 })];
      expect(count(group, 50)).toEqual({ main: 50 });
      eject(group[1]!);
      expect(count(group, 50)).toEqual({ spare: 50 });
    });

    test("is drawn by weight within a group", () => {
      const make = new Candidates();
      const counts = count([make.make("nine", { weight: 9 }), make.make("one", { weight: 1 })], 10_000);
      expect(counts["one"]! / 10_000).toBeWithin(0.09, 0.11);
    });

    test("follows the weights with any number of calls in flight", () => {
      for (const atOnce of [1, 6, 50]) {
        const make = new Candidates();
        const group = [make.make("nine", { weight: 9 }), make.make("one", { weight: 1 })];
        const open: (() => void)[] = [];
        let toOne = 0;
        for (let at = 0; at < 5000; at++) {
          const { health, route } = choose(group).next()!;
          const call = health.begin();
          open.push(() => health.succeeded(call));
          toOne += Number(route.upstream === "one");
          if (open.length === atOnce) open.splice(Math.floor(seeded.next() * atOnce), 1)[0]!();
        }
        expect(toOne / 5000).toBeWithin(0.08, 0.12);
      }
    });

    test("follows the weights with ordinary jitter of latency and rare failures", () => {
      const make = new Candidates();
      const [nine, one] = [make.make("nine", { weight: 9 }), make.make("one", { weight: 1 })];
      const counts: Record<string, number> = { nine: 0, one: 0 };
      for (let at = 0; at < 5000; at++) {
        const { health, route } = choose([nine, one]).next()!;
        const call = health.begin();
        make.nowMs += 20;
        counts[route.upstream]!++;
        if (seeded.happens(0.01)) {
          health.failed(call, 5);
          continue;
        }
        health.responded(call, 200 + 150 * seeded.next());
        health.succeeded(call);
      }
      expect(counts["one"]! / 5000).toBeWithin(0.07, 0.13);
    });

    test("is the better of two (power of two choices): faster, less loaded, or failing less", () => {
      const make = new Candidates();
      const [fast, slow] = [make.make("fast"), make.make("slow")];
      respond(fast, 100);
      respond(slow, 400);
      expect(count([fast, slow], 50)).toEqual({ fast: 50 });
      const [idle, busy] = [make.make("idle"), make.make("busy")];
      for (let at = 0; at < 4; at++) busy.health.begin();
      expect(count([idle, busy], 50)).toEqual({ idle: 50 });
      const [sound, failing] = [make.make("sound"), make.make("failing")];
      failing.health.failed(failing.health.begin(), 1);
      expect(count([sound, failing], 50)).toEqual({ sound: 50 });
    });

    test("may be a route that was slow or failed a while ago", () => {
      const make = new Candidates();
      const [sound, failing, slow] = [make.make("sound"), make.make("failing"), make.make("slow")];
      respond(slow, 3000);
      failing.health.failed(failing.health.begin(), 1);
      make.nowMs += 60_000;
      respond(sound, 50);
      const counts = count([sound, failing, slow], 300);
      expect(counts["failing"]).toBeGreaterThan(60);
      expect(counts["slow"]).toBeGreaterThan(60);
    });

    test("is not a route that hangs, although it was the fastest", () => {
      const make = new Candidates();
      const [hanging, sound] = [make.make("hanging"), make.make("sound")];
      respond(hanging, 10);
      let hung = 0;
      for (let at = 0; at < 1000; at++) {
        make.nowMs += 100;
        const { route, health } = choose([hanging, sound]).next()!;
        if (route.upstream === "sound") respond(sound, 50);
        else hung += Number(health.begin() !== undefined);
      }
      expect(hung).toBeLessThan(20);
    });

    test("is the half-open route, for one call", () => {
      const make = new Candidates();
      const [due, sound] = [make.make("probing"), make.make("sound")];
      eject(due);
      make.nowMs += 5000;
      const { route, health } = choose([due, sound]).next()!;
      expect(route.upstream).toBe("probing");
      const probe = health.begin();
      expect(count([due, sound], 50)).toEqual({ sound: 50 });
      health.abandoned(probe, 10);
      expect(count([due, sound], 50)).toEqual({ sound: 50 });
    });

    test("has its full weight after its recovery", () => {
      const make = new Candidates();
      const [back, sound] = [make.make("back"), make.make("sound")];
      respond(back, 50);
      respond(sound, 50);
      back.health.failed(back.health.begin(), 60_000);
      eject(back);
      make.nowMs += 5000;
      respond(back, 60);
      expect(count([back, sound], 1000)["back"]).toBeWithin(440, 560);
    });
  });

  describe("where no route is ready", () => {
    test("the last one is never excluded", () => {
      const make = new Candidates();
      const only = make.make("only");
      eject(only);
      expect(first([only])).toBe("only");
    });

    test("the one that is available first is called", () => {
      const make = new Candidates();
      const [soon, late] = [make.make("soon"), make.make("late")];
      eject(late);
      make.nowMs += 5000;
      late.health.failed(late.health.begin(), 1);
      eject(soon);
      expect(orderOf(choose([late, soon]))).toEqual(["soon 0", "late 0"]);
      const cooling = make.make("cooling");
      cooling.state.credentials[0]!.noteFault({ kind: "busy", retryAfterMs: 100 }, "m");
      expect(first([late, soon, cooling])).toBe("cooling");
    });

    test("a full route goes before ejected ones, and a free queue before a full one", async () => {
      const make = new Candidates();
      const [out, full, fuller] = [
        make.make("ejected"),
        make.make("full", { concurrency: { maxCalls: 1, maxQueued: 5 } }),
        make.make("fuller", { concurrency: { maxCalls: 1, maxQueued: 0 } }),
      ];
      eject(out);
      const leaving = new AbortController();
      const slot = await full.state.slots.take(leaving.signal);
      const waiting = full.state.slots.take(leaving.signal) as Promise<unknown>;
      void fuller.state.slots.take(leaving.signal);
      expect(first([fuller, out, full])).toBe("full");
      expect(first([fuller, out])).toBe("ejected");
      slot.release();
      await waiting;
    });
  });

  describe("after a failure", () => {
    test("each route is tried once, the lower priorities last", () => {
      const make = new Candidates();
      const order = orderOf(choose([make.make("c", { priority: 3 }), make.make("a"), make.make("b", { priority: 2 })]));
      expect(order).toEqual(["a 0", "b 0", "c 0"]);
    });

    test("of the credential, the others of the upstream are tried before other upstreams", () => {
      const make = new Candidates();
      const order = orderOf(choose([make.make("a", { credentials: 3 }), make.make("b", { priority: 2 })]), "credential");
      expect(order.slice(0, 3).toSorted()).toEqual(["a 0", "a 1", "a 2"]);
      expect(order[3]).toBe("b 0");
    });

    test("of the upstream, none of its other credentials is tried", () => {
      const make = new Candidates();
      const order = orderOf(choose([make.make("a", { credentials: 3 }), make.make("b", { priority: 2 })]));
      expect(order.map((each) => each.slice(0, 1))).toEqual(["a", "b"]);
    });

    test("of one model, another model of the same upstream may be called with the same credential", () => {
      const make = new Candidates();
      const large = make.make("a");
      expect(orderOf(choose([large, make.another(large, "small", { priority: 2 })]))).toEqual(["a 0", "a 0"]);
    });

    test("by a rate limit, another model of the same upstream may be called with the same credential; not by its rejection", () => {
      const make = new Candidates();
      const large = make.make("a");
      const routes = [large, make.another(large, "small", { priority: 2 }), make.make("b", { priority: 3 })];
      expect(orderOf(choose(routes), "rate limit")).toEqual(["a 0", "a 0", "b 0"]);
      expect(orderOf(choose(routes), "credential")).toEqual(["a 0", "b 0"]);
    });
  });

  describe("credentials", () => {
    test("in cooldown are skipped; where all are, the one that is available first is used", () => {
      const make = new Candidates();
      const candidate = make.make("a", { credentials: 2 });
      const [one, other] = candidate.state.credentials;
      one!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
      for (let at = 0; at < 20; at++) expect(choose([candidate]).next()!.credential).toBe(other!);
      other!.noteFault({ kind: "credential" }, "m");
      for (let at = 0; at < 20; at++) expect(choose([candidate]).next()!.credential).toBe(one!);
    });

    test("with a cooldown for one model are used for the others", () => {
      const make = new Candidates();
      const large = make.make("a", { credentials: 2 });
      const small = make.another(large, "small");
      const [one, other] = large.state.credentials;
      one!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
      const used = new Set(Array.from({ length: 50 }, () => choose([small]).next()!.credential));
      expect(used).toEqual(new Set([one!, other!]));
      other!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
      expect(Array.from({ length: 20 }, () => choose([large, small]).next()!.route.upstreamModel)).not.toContain("m");
    });

    test("share the calls", () => {
      const make = new Candidates();
      const candidate = make.make("a", { credentials: 2 });
      let toFirst = 0;
      for (let at = 0; at < 1000; at++) toFirst += Number(choose([candidate]).next()!.credential === candidate.state.credentials[0]);
      expect(toFirst).toBeWithin(440, 560);
    });

    test("stay with a session", () => {
      const make = new Candidates();
      const candidate = make.make("a", { credentials: 5 });
      const used = new Set<unknown>();
      for (let at = 0; at < 20; at++) used.add(choose([candidate], nth(1)).next()!.credential);
      expect(used.size).toBe(1);
    });
  });

  describe("session affinity", () => {
    test("keeps a session at one route under load, while sessions spread by weight", () => {
      const make = new Candidates();
      const group = [make.make("a", { weight: 2 }), make.make("b"), make.make("c")];
      const home = first(group, nth(0));
      const { health } = group.find(({ route }) => route.upstream === home)!;
      for (let at = 0; at < 20; at++) health.begin();
      expect(count(group, 50, () => nth(0))).toEqual({ [home]: 50 });
      const counts = count(group, 4000, nth);
      expect(counts["a"]! / 4000).toBeWithin(0.47, 0.53);
      expect(counts["b"]! / 4000).toBeWithin(0.22, 0.28);
    });

    test("moves a session only while its route is ejected, and probes that route with its own sessions", () => {
      const make = new Candidates();
      const group = [make.make("a"), make.make("b"), make.make("c")];
      const homes = Array.from({ length: 300 }, (_, at) => first(group, nth(at)));
      eject(group[0]!);
      for (const due of [false, true]) {
        if (due) make.nowMs += 5000;
        homes.forEach((home, at) => {
          const now = first(group, nth(at));
          if (home === "a" && !due) expect(now).not.toBe("a");
          else expect(now).toBe(home);
        });
      }
    });
  });

  describe("route candidates", () => {
    const NOW_MS = 1_000_000;

    const uncalled = (): Promise<never> => Promise.reject(new Error("this upstream must not be called"));

    function upstream(id: string, preset?: PresetId): Upstream {
      const settings = remoteAt(id, preset, { baseUrl: `https://${id}.example/v1`, allowPrivate: false }, []);
      return { settings, complete: uncalled, stream: uncalled };
    }

    const UPSTREAMS = [upstream("plain"), upstream("claude", "anthropic")];

    function findUpstream(id: string): Upstream | undefined {
      return UPSTREAMS.find(({ settings }) => settings.id === id);
    }

    /** The candidates and the excluded routes of a model with these upstreams. */
    function sort(
      ids: readonly string[],
      body: Record<string, unknown>,
      more: Partial<Model> = {},
    ): { candidates: string[]; excluded: string[] } {
      const routes = ids.map((id) => plainModel("m", { upstream: id, upstreamModel: "claude-opus-4-1" }).routes[0]!);
      const { candidates, excluded } = findCandidates({ ...plainModel("m", routes[0]!), routes, ...more }, chatOf(body), {
        account: "acme",
        findUpstream,
        states: new UpstreamStates(() => 0),
        nowMs: NOW_MS,
        limiting: { limits: new MemoryLimitStore(), monotonicMs: () => 0 },
      });
      return {
        candidates: candidates.map(({ route }) => route.upstream),
        excluded: excluded.map(({ route, reason, refused = [] }) => [`${route.upstream}: ${reason}`, ...refused].join(" ")),
      };
    }

    test("a route whose upstream was removed is excluded", () => {
      expect(sort(["plain", "gone"], {})).toEqual({ candidates: ["plain"], excluded: ["gone: no_upstream"] });
    });

    test("a drained route gets no calls, also where it is the only one", () => {
      const [route] = plainModel("m", { upstream: "plain", upstreamModel: "x" }).routes;
      const drained = { ...route!, weight: 0 };
      expect(sort(["plain"], {}, { routes: [drained, route!] })).toEqual({ candidates: ["plain"], excluded: ["plain: drained"] });
      expect(sort(["plain"], {}, { routes: [drained] })).toEqual({ candidates: [], excluded: ["plain: drained"] });
    });

    test("a route that does not support a required parameter is excluded", () => {
      const body = { messages: [{ role: "user", content: "hi" }], seed: 7 };
      const parameters = { seed: "refuse" } as const;
      expect(sort(["plain", "claude"], body).candidates).toEqual(["plain", "claude"]);
      expect(sort(["plain", "claude"], body, { parameters })).toEqual({
        candidates: [],
        excluded: ["plain: unsupported_parameters seed", "claude: unsupported_parameters seed"],
      });
      expect(sort(["plain", "claude"], { ...body, n: 2 })).toEqual({
        candidates: ["plain"],
        excluded: ["claude: unsupported_parameters n"],
      });
      expect(sort(["claude"], { ...body, n: 2, top_logprobs: 0 }, { parameters }).excluded).toEqual([
        "claude: unsupported_parameters seed n",
      ]);
    });

    /** The result for a route with this price cap. */
    function sortCapped(maxPrice: MaxPrice, publishedPrices: readonly Price[]): string[] {
      const route = { ...plainModel("m", { upstream: "plain", upstreamModel: "x" }).routes[0]!, maxPrice, publishedPrices };
      const { candidates, excluded } = sort(["plain"], {}, { routes: [route] });
      return [...candidates, ...excluded];
    }

    describe("a price cap", () => {
      const price: Price = makePrice({ ...FREE, rates: { ...FREE.rates, inputPicos: 3_000_000n, outputPicos: 15_000_000n } });
      const later: Price = makePrice({ ...price, effectiveAtMs: NOW_MS + 1, rates: { ...price.rates, inputPicos: 9_000_000n } });

      test.each([
        ["at the price itself", { inputPicos: 3_000_000n, outputPicos: 15_000_000n }, [price, later], "plain"],
        ["below the price of the input", { inputPicos: 2_999_999n, outputPicos: undefined }, [price], "plain: over_price_cap"],
        ["below the price of the output", { inputPicos: undefined, outputPicos: 14_999_999n }, [price], "plain: over_price_cap"],
        ["of one kind alone", { inputPicos: 3_000_000n, outputPicos: undefined }, [price], "plain"],
        ["without a published price", { inputPicos: 3_000_000n, outputPicos: undefined }, [], "plain: price_unknown"],
      ] as [string, MaxPrice, Price[], string][])("%s decides whether a route is used", (_where, maxPrice, prices, expected) => {
        expect(sortCapped(maxPrice, prices)).toEqual([expected]);
      });
    });

    describe("a route is", () => {
      test("ready, full, cooling, out or due", () => {
        const make = new Candidates();
        const candidate = make.make("a", { concurrency: { maxCalls: 1 } });
        expect(statusOf(candidate)).toBe("ready");
        void candidate.state.slots.take(new AbortController().signal);
        expect(statusOf(candidate)).toBe("full");
        candidate.state.credentials[0]!.noteFault({ kind: "busy" }, "m");
        expect(statusOf(candidate)).toBe("cooling");
        eject(candidate);
        expect(statusOf(candidate)).toBe("ejected");
        const other = make.make("b");
        eject(other);
        make.nowMs += 5000;
        expect(statusOf(other)).toBe("probing");
      });

      test("not cooling while another model of its upstream has a rate limit", () => {
        const make = new Candidates();
        const large = make.make("a");
        large.state.credentials[0]!.noteFault({ kind: "busy" }, "m");
        expect([statusOf(large), statusOf(make.another(large, "small"))]).toEqual(["cooling", "ready"]);
      });

      test("cooling where the request has tried all of its credentials", () => {
        const candidate = new Candidates().make("a", { credentials: 2 });
        expect(statusOf(candidate, [])).toBe("cooling");
        expect(statusOf(candidate, candidate.state.credentials.slice(1))).toBe("ready");
      });
    });
  });
});

describe("select route", () => {
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
});

describe("exact shares", () => {
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
});

describe("session affinity", () => {
  type Message = Record<string, unknown>;

  const system = { role: "system", content: "Be brief. ".repeat(1000) };
  const user = (content: unknown): Message => ({ role: "user", content });

  function conversation(messages: readonly Message[], more: object = {}, account = "acme"): bigint {
    return sessionOf(chatOf({ messages, ...more }), account);
  }

  describe("a session", () => {
    test("is the same as its conversation continues", () => {
      const first = conversation([system, user("Hello")]);
      const later = conversation([system, user("Hello"), { role: "assistant", content: "Hi" }, user("And?")]);
      expect(later).toBe(first);
    });

    test("differs by the first user message, behind a system prompt of any length", () => {
      expect(conversation([system, user("Hello")])).not.toBe(conversation([system, user("Good day")]));
    });

    test("differs by the system prompt and by the account", () => {
      const here = conversation([system, user("Hello")]);
      expect(conversation([{ ...system, content: "Be long." }, user("Hello")])).not.toBe(here);
      expect(conversation([system, user("Hello")], {}, "globex")).not.toBe(here);
    });

    test("is taken from prompt_cache_key, if the client sets it", () => {
      const named = { prompt_cache_key: "thread-7" };
      expect(conversation([user("one")], named)).toBe(conversation([user("other")], named));
      expect(conversation([user("one")], named)).not.toBe(conversation([user("one")], { prompt_cache_key: "thread-8" }));
    });

    test("is identified by the text of its messages, also in content parts", () => {
      const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
      const first = conversation([user([{ type: "text", text: "What is this?" }, image])]);
      expect(first).not.toBe(conversation([user([{ type: "text", text: "And this?" }, image])]));
    });

    test("is identified by all of its messages where there is no user message", () => {
      expect(conversation([{ role: "system", content: "one" }])).not.toBe(conversation([{ role: "system", content: "two" }]));
    });
  });

  function placeOf(id: number, among: Readonly<Record<string, number>>): string {
    const drawn = Object.entries(among).map(([place, weight]) => [place, affinity(Bun.hash.wyhash(String(id)), place, weight)] as const);
    return drawn.toSorted(([, one], [, other]) => other - one)[0]![0];
  }

  describe("rendezvous hashing", () => {
    const places = { big: 3, small: 1, other: 1 };

    test("spreads sessions by weight", () => {
      const counts: Record<string, number> = { big: 0, small: 0, other: 0 };
      for (let id = 0; id < 10_000; id++) counts[placeOf(id, places)]!++;
      expect(counts["big"]! / 10_000).toBeWithin(0.58, 0.62);
      expect(counts["small"]! / 10_000).toBeWithin(0.18, 0.22);
    });

    test("moves only the sessions of a removed target, and moves them back when it returns", () => {
      const { small: _gone, ...rest } = places;
      for (let id = 0; id < 2000; id++) {
        const before = placeOf(id, places);
        if (before !== "small") expect(placeOf(id, rest)).toBe(before);
      }
    });
  });
});
