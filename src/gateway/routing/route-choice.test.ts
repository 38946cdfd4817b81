import { describe, expect, test } from "bun:test";
import { Candidates, eject, respond } from "../../../test/routes/candidates.ts";
import { SeededRandom } from "../../../test/support/random.ts";
import { RouteChoice, type FailureScope, type Target } from "./route-choice.ts";
import type { Candidate } from "./route-candidates.ts";

const seeded = new SeededRandom(7);
const random = (): number => seeded.next();

function choose(candidates: readonly Candidate[], conversation?: bigint): RouteChoice {
  return new RouteChoice(candidates, conversation, undefined, random);
}

function first(candidates: readonly Candidate[], conversation?: bigint): string {
  return choose(candidates, conversation).next()!.route.upstream;
}

/** The first targets of so many requests. */
function count(candidates: readonly Candidate[], times: number, conversationOf?: (at: number) => bigint): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < times; at++) {
    const chosen = first(candidates, conversationOf?.(at));
    counts[chosen] = (counts[chosen] ?? 0) + 1;
  }
  return counts;
}

/** The targets of one request, where each attempt fails. */
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
