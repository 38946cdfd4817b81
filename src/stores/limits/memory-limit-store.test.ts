import { describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { NO_LIMITS, type Limits } from "../../money/limits.ts";
import type { LimitRefusal, LimitScope, LimitTicket } from "./limit-store.ts";
import { MemoryLimitStore } from "./memory-limit-store.ts";

const MINUTE_MS = 60_000;

const scope = (kind: LimitScope["kind"], id: string, limits: Partial<Limits>): LimitScope => ({
  kind,
  id,
  limits: { ...NO_LIMITS, ...limits },
});

function isTicket(taken: LimitTicket | LimitRefusal): taken is LimitTicket {
  return "undo" in taken;
}

/** A request as the model remembers it. */
interface Past {
  readonly atMs: number;
  readonly scopes: readonly LimitScope[];
  tokens: number;
  requests: 0 | 1;
  isRunning: boolean;
  readonly ticket: LimitTicket;
}

/** What the store should say of a request, from a list of all requests there ever were. */
function shouldRefuse(
  pasts: readonly Past[],
  scopes: readonly LimitScope[],
  tokens: number,
  nowMs: number,
): LimitRefusal["what"] | undefined {
  for (const { kind, id, limits } of scopes) {
    const mine = pasts.filter((past) => past.scopes.some((each) => each.kind === kind && each.id === id));
    const recent = mine.filter(({ atMs }) => atMs > nowMs - MINUTE_MS);
    const sum = (of: "requests" | "tokens"): number => recent.reduce((total, past) => total + past[of], 0);
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
    if (requestsPerMinute !== null && sum("requests") + 1 > requestsPerMinute) return "requests";
    if (tokensPerMinute !== null && sum("tokens") + Math.min(tokens, tokensPerMinute) > tokensPerMinute) return "tokens";
    if (concurrentRequests !== null && mine.filter(({ isRunning }) => isRunning).length >= concurrentRequests) return "concurrent";
  }
  return undefined;
}

/** Limits are always of all three kinds here: a scope without any is not counted, so it could be given some later only. */
const scopesOf = (key: number): readonly LimitScope[] => [
  scope("key", `k${key}`, { requestsPerMinute: 3 + key, tokensPerMinute: 40, concurrentRequests: 2 + key }),
  // The same name as a key's, to see that they are not confused.
  scope("account", "k0", { requestsPerMinute: 4, tokensPerMinute: 70, concurrentRequests: 3 }),
];

type Step = { readonly passMs: number } & (
  | { readonly key: number; readonly tokens: number }
  | { readonly end: number; readonly actual: number }
  | { readonly undo: number }
);

const passMs = fc.oneof(fc.constant(0), fc.nat(4000), fc.constantFrom(MINUTE_MS - 1, MINUTE_MS));
const tokens = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 50 }));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ passMs, key: fc.nat(1), tokens }) },
  { weight: 2, arbitrary: fc.record({ passMs, end: fc.nat(9), actual: fc.oneof(fc.nat(5), fc.nat(80)) }) },
  { weight: 1, arbitrary: fc.record({ passMs, undo: fc.nat(9) }) },
);

describe("limits in memory", () => {
  test("admit and reject exactly like a plain list of all requests, in all scopes or in none", () => {
    const refusals = new Map<string, number>();
    const same = fc.property(fc.array(anyStep, { maxLength: 60, size: "max" }), (steps) => {
      const store = new MemoryLimitStore();
      const pasts: Past[] = [];
      let nowMs = 5_000_000;
      for (const step of steps) {
        nowMs += step.passMs;
        const inFlight = pasts.filter(({ isRunning }) => isRunning);
        if ("key" in step) {
          const scopes = scopesOf(step.key);
          const should = shouldRefuse(pasts, scopes, step.tokens, nowMs);
          const taken = store.take(scopes, step.tokens, nowMs);
          expect(isTicket(taken) ? undefined : taken.what).toBe(should);
          if (isTicket(taken)) pasts.push({ atMs: nowMs, scopes, tokens: step.tokens, requests: 1, isRunning: true, ticket: taken });
          else refusals.set(`${taken.scope.kind} ${taken.what}`, (refusals.get(`${taken.scope.kind} ${taken.what}`) ?? 0) + 1);
          if (!isTicket(taken) && taken.what !== "concurrent") {
            // The wait is that of the scope that refused, and not a millisecond too long.
            const only = [taken.scope];
            expect(shouldRefuse(pasts, only, step.tokens, nowMs + taken.waitMs - 1)).toBeDefined();
            expect(shouldRefuse(pasts, only, step.tokens, nowMs + taken.waitMs)).not.toBe(taken.what);
          }
        } else if ("end" in step) {
          const past = inFlight[step.end % (inFlight.length || 1)];
          past?.ticket.end(step.actual);
          if (past) Object.assign(past, { tokens: step.actual, isRunning: false });
        } else {
          const past = inFlight[step.undo % (inFlight.length || 1)];
          past?.ticket.undo();
          if (past) Object.assign(past, { tokens: 0, requests: 0, isRunning: false });
        }
      }
    });
    fc.assert(same, runs(2000));
    const kinds = ["key requests", "key tokens", "key concurrent", "account requests", "account tokens", "account concurrent"];
    expect(kinds.filter((kind) => (refusals.get(kind) ?? 0) < 50)).toEqual([]);
  });

  test("a request that one scope rejects does not count in another", () => {
    const store = new MemoryLimitStore();
    const [open, full] = [scope("key", "k", { requestsPerMinute: 2 }), scope("account", "a", { requestsPerMinute: 1 })];
    expect(isTicket(store.take([open, full], 1, 0))).toBe(true);
    for (let at = 0; at < 5; at++) expect(store.take([open, full], 1, 0)).toMatchObject({ what: "requests", scope: full });
    expect(isTicket(store.take([open], 1, 0))).toBe(true);
  });

  test("report the tightest limit, and an undone request leaves no trace", () => {
    const store = new MemoryLimitStore();
    const scopes = [scope("key", "k", { requestsPerMinute: 10 }), scope("account", "a", { requestsPerMinute: 4, tokensPerMinute: 100 })];
    const fresh = { requests: { limit: 4, remaining: 4, resetMs: 0 }, tokens: { limit: 100, remaining: 100, resetMs: 0 } };
    expect(store.state(scopes, 0)).toEqual(fresh);
    const undone = store.take(scopes, 30, 0) as LimitTicket;
    undone.undo();
    expect(store.state(scopes, 1)).toEqual(fresh);

    const ticket = store.take(scopes, 30, 1000) as LimitTicket;
    expect(store.state(scopes, 2000)).toEqual({
      requests: { limit: 4, remaining: 3, resetMs: 59_000 },
      tokens: { limit: 100, remaining: 70, resetMs: 59_000 },
    });
    ticket.end(500);
    expect(store.state(scopes, 2000).tokens).toEqual({ limit: 100, remaining: 0, resetMs: 59_000 });
    expect(store.state(scopes, 61_000)).toEqual(fresh);
    expect(store.state([scope("key", "free", {})], 0)).toEqual({ requests: undefined, tokens: undefined });
  });

  test("admit everything without limits", () => {
    const store = new MemoryLimitStore();
    for (let at = 0; at < 100; at++) expect(isTicket(store.take([scope("key", "k", {})], 1e9, 0))).toBe(true);
  });

  for (const limits of [{ concurrentRequests: 5 }, { requestsPerMinute: 1000 }, { tokensPerMinute: 1000 }]) {
    test(`${Object.keys(limits)[0]} alone remembers no more than the last minute`, () => {
      const store = new MemoryLimitStore();
      const scopes = [scope("key", "k", limits)];
      const pass = (from: number, to: number): void => {
        for (let at = from; at < to; at++) (store.take(scopes, 1, at * 1000) as LimitTicket).end(1);
      };
      pass(0, 1000);
      Bun.gc(true);
      const before = heapStats();
      pass(1000, 50_000);
      Bun.gc(true);
      const after = heapStats();
      expect(after.objectCount - before.objectCount).toBeLessThan(20_000);
      expect(after.heapSize - before.heapSize).toBeLessThan(500_000);
    });
  }
});

const ownedBy = (id: string): readonly LimitScope[] => [
  scope("key", id, { requestsPerMinute: 2 }),
  scope("account", `of ${id}`, { concurrentRequests: 1 }),
];

/** How many windows there are in memory. */
function windows(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Float64Array"] ?? 0;
}

test("frees the counters of idle keys and accounts, but not of active ones", () => {
  const store = new MemoryLimitStore();
  const before = windows();
  const inFlight = store.take(ownedBy("long"), 1, 0) as LimitTicket;
  for (let at = 0; at < 500; at++) (store.take(ownedBy(`${at}`), 1, 0) as LimitTicket).end(1);
  expect(windows() - before).toBeGreaterThan(1900);
  const busy = [scope("key", "busy", { tokensPerMinute: 1e9 }), scope("account", "busy", {})];
  for (let seconds = 0; seconds < 5; seconds++) (store.take(busy, 1, MINUTE_MS + seconds * 1000) as LimitTicket).end(1);
  expect(windows() - before).toBeLessThan(20);
  expect(store.refusalOf(ownedBy("long"), 1, MINUTE_MS)?.what).toBe("concurrent");
  inFlight.end(1);
  expect(store.refusalOf(ownedBy("long"), 1, MINUTE_MS)).toBeUndefined();
});
