import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { PlainLimits, type PlainRequest } from "../../../test/support/money/plain-limits.ts";
import { type NamedRates, readRates } from "../../money/limits.ts";
import type { LimitRefusal, LimitScope, LimitStore, LimitTicket } from "./limit-store.ts";

/** A store under test, with nothing counted. */
export interface LimitStoreFixture {
  readonly store: LimitStore;
  cleanUp(): Promise<void>;
}

const MINUTE_MS = 60_000;

export const scope = (kind: LimitScope["kind"], id: string, limits: Partial<NamedRates>): LimitScope => ({
  kind,
  id,
  limits: readRates(limits),
});

function isTicket(taken: LimitTicket | LimitRefusal): taken is LimitTicket {
  return "undo" in taken;
}

/**
 * The limits here always have all three kinds: a scope without any limit is not counted, so the count would be wrong if it got limits
 * later.
 */
const scopesOf = (run: number, key: number): readonly LimitScope[] => [
  scope("key", `k${key} of ${run}`, { requests_per_minute: 3 + key, tokens_per_minute: 40, concurrent_requests: 2 + key }),
  // The same name as a key's, to check that the two are not confused.
  scope("account", `k0 of ${run}`, { requests_per_minute: 4, tokens_per_minute: 70, concurrent_requests: 3 }),
  scope("user", `k0 of ${run}`, { requests_per_minute: 4, tokens_per_minute: 60, concurrent_requests: 4 }),
];

type Step = { readonly passMs: number } & (
  | { readonly key: number; readonly tokens: number; readonly atOnce: number }
  | { readonly end: number; readonly actual: number }
  | { readonly undo: number }
);

const passMs = fc.oneof(fc.constant(0), fc.nat(4000), fc.constantFrom(MINUTE_MS - 1, MINUTE_MS));
const tokens = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 50 }));
const atOnce = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 5 }) });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ passMs, key: fc.nat(1), tokens, atOnce }) },
  { weight: 2, arbitrary: fc.record({ passMs, end: fc.nat(9), actual: fc.oneof(fc.nat(5), fc.nat(80)) }) },
  { weight: 1, arbitrary: fc.record({ passMs, undo: fc.nat(9) }) },
);

/** Contract tests for every implementation of this port. `share` is the fraction of the runs, for a slow implementation. */
export function limitStoreContract(name: string, open: () => Promise<LimitStoreFixture>, share = 1): void {
  describe(`${name} implements LimitStore`, () => {
    let fixture: LimitStoreFixture;
    let store: LimitStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    const take = async (scopes: readonly LimitScope[], estimate: number, nowMs: number): Promise<LimitTicket | LimitRefusal> =>
      store.take(scopes, estimate, nowMs);
    const taken = async (scopes: readonly LimitScope[], estimate: number, nowMs: number): Promise<LimitTicket> => {
      const result = await take(scopes, estimate, nowMs);
      if (!isTicket(result)) throw new Error(`rejected because of ${result.what}`);
      return result;
    };

    test("admits and rejects exactly like a plain list of all requests, in all scopes or in none", async () => {
      const refusals = new Map<string, number>();
      let run = 0;
      let nowMs = 5_000_000;
      const same = fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: "max" }), async (steps) => {
        run++;
        const plain = new PlainLimits();
        const tickets = new Map<PlainRequest, LimitTicket>();
        const inFlight = (at: number): PlainRequest | undefined => [...tickets.keys()][at % (tickets.size || 1)];
        for (const step of steps) {
          nowMs += step.passMs;
          if ("key" in step) {
            const scopes = scopesOf(run, step.key);
            const results = await Promise.all(Array.from({ length: step.atOnce }, () => take(scopes, step.tokens, nowMs)));
            for (const result of results.toSorted((a, b) => Number(isTicket(b)) - Number(isTicket(a)))) {
              expect(isTicket(result) ? undefined : result.what).toBe(plain.refusalOf(scopes, step.tokens, nowMs));
              if (isTicket(result)) {
                tickets.set(plain.add(scopes, step.tokens, nowMs), result);
                continue;
              }
              const kind = `${result.scope.kind} ${result.what}`;
              refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
              if (result.what === "concurrent") continue;
              // The wait is exact for the scope that refused: one millisecond less is too short.
              expect(plain.refusalOf([result.scope], step.tokens, nowMs + result.waitMs - 1)).toBeDefined();
              expect(plain.refusalOf([result.scope], step.tokens, nowMs + result.waitMs)).not.toBe(result.what);
            }
          } else {
            const request = inFlight("end" in step ? step.end : step.undo);
            if (!request) continue;
            if ("end" in step) tickets.get(request)!.end(step.actual);
            else tickets.get(request)!.undo();
            Object.assign(request, "end" in step ? { tokens: step.actual } : { tokens: 0, requests: 0 }, { isRunning: false });
            tickets.delete(request);
          }
        }
      });
      await fc.assert(same, runs(2000 * share));
      const kinds = ["key requests", "key tokens", "key concurrent", "account requests", "account tokens", "account concurrent"];
      expect(kinds.filter((kind) => (refusals.get(kind) ?? 0) < 50 * share)).toEqual([]);
    });

    test("admits at most the limit in any 60 seconds, with refunds and with requests that use less than their estimate", async () => {
      const request = fc.record({
        passMs: fc.oneof(fc.constant(0), fc.nat(3000), fc.nat(40_000)),
        tokens,
        used: fc.nat(50),
        isUndone: fc.nat(5),
      });
      let run = 0;
      let nowMs = 0;
      const safe = fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 80, size: "max" }), async (requests) => {
        const limits = { requests_per_minute: 6, tokens_per_minute: 90 };
        const scopes = [scope("key", `safe ${run++}`, limits)];
        const counted: { readonly atMs: number; readonly tokens: number }[] = [];
        for (const { passMs: pauseMs, tokens: estimate, used, isUndone } of requests) {
          nowMs += pauseMs;
          const result = await take(scopes, estimate, nowMs);
          if (!isTicket(result)) continue;
          const actual = Math.min(used, estimate);
          if (isUndone === 0) result.undo();
          else {
            result.end(actual);
            counted.push({ atMs: nowMs, tokens: actual });
          }
        }
        for (const { atMs: fromMs } of counted) {
          const inMinute = counted.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + MINUTE_MS);
          expect(inMinute.length).toBeLessThanOrEqual(limits.requests_per_minute);
          expect(inMinute.reduce((sum, each) => sum + each.tokens, 0)).toBeLessThanOrEqual(limits.tokens_per_minute);
        }
      });
      await fc.assert(safe, runs(500 * share));
    });

    test("of requests at the same moment, admits as many as fit", async () => {
      for (const limits of [{ requests_per_minute: 7 }, { tokens_per_minute: 70 }, { concurrent_requests: 7 }]) {
        const scopes = [scope("key", Object.keys(limits)[0]!, limits)];
        const results = await Promise.all(Array.from({ length: 20 }, () => take(scopes, 10, 0)));
        expect(results.filter(isTicket)).toHaveLength(7);
      }
    });

    test("a request that one scope rejects does not count in another", async () => {
      const [roomy, full] = [scope("key", "k", { requests_per_minute: 2 }), scope("account", "a", { requests_per_minute: 1 })];
      await taken([roomy, full], 1, 0);
      for (let at = 0; at < 5; at++) expect(await take([roomy, full], 1, 0)).toMatchObject({ what: "requests", scope: full });
      await taken([roomy], 1, 0);
    });

    test("reports the tightest limit, and an undone request leaves no trace", async () => {
      const scopes = [
        scope("key", "k", { requests_per_minute: 10 }),
        scope("account", "a", { requests_per_minute: 4, tokens_per_minute: 100 }),
      ];
      const fresh = { requests: { limit: 4, remaining: 4, resetMs: 0 }, tokens: { limit: 100, remaining: 100, resetMs: 0 } };
      // A process that does not count itself knows the states of the scopes that it has asked for.
      await store.refusalOf(scopes, 1, 0);
      expect(store.state(scopes, 0)).toEqual(fresh);
      (await taken(scopes, 30, 0)).undo();
      expect(store.state(scopes, 1)).toEqual(fresh);

      const ticket = await taken(scopes, 30, 1000);
      expect(store.state(scopes, 2000)).toEqual({
        requests: { limit: 4, remaining: 3, resetMs: 59_000 },
        tokens: { limit: 100, remaining: 70, resetMs: 59_000 },
      });
      ticket.end(500);
      expect(store.state(scopes, 2000).tokens).toEqual({ limit: 100, remaining: 0, resetMs: 59_000 });
      await store.refusalOf(scopes, 1, 61_000);
      expect(store.state(scopes, 61_000)).toEqual(fresh);
      expect(store.state([scope("key", "free", {})], 0)).toEqual({ requests: undefined, tokens: undefined });
    });

    test("a dry run has the reason of the rejection, and counts nothing", async () => {
      const scopes = [scope("key", "k", { requests_per_minute: 2, tokens_per_minute: 50 })];
      for (let at = 0; at < 5; at++) expect(await store.refusalOf(scopes, 30, 0)).toBeUndefined();
      await taken(scopes, 30, 0);
      const tooManyTokens = { scope: scopes[0]!, what: "tokens", waitMs: 59_000, remaining: 20 } as const;
      expect(await store.refusalOf(scopes, 21, 1000)).toEqual(tooManyTokens);
      expect(await take(scopes, 21, 1000)).toEqual(tooManyTokens);
      await taken(scopes, 20, 1000);
      expect(await store.refusalOf(scopes, 1, 2000)).toEqual({ scope: scopes[0]!, what: "requests", waitMs: 58_000, remaining: 0 });
    });

    test("a changed limit applies to the next request, with everything that was counted before", async () => {
      const [ten, three, four] = [10, 3, 4].map((requests_per_minute) => [scope("key", "k", { requests_per_minute })]);
      for (let at = 0; at < 3; at++) await taken(ten!, 1, at);
      expect(await take(three!, 1, 10)).toMatchObject({ what: "requests", remaining: 0, waitMs: MINUTE_MS - 10 });
      await taken(four!, 1, 10);
    });

    test("an amount above the limit is admitted into an empty window only", async () => {
      const scopes = [scope("key", "k", { tokens_per_minute: 10 })];
      await taken(scopes, 50, 0);
      expect(await take(scopes, 50, MINUTE_MS - 1)).toMatchObject({ what: "tokens", waitMs: 1 });
      await taken(scopes, 50, MINUTE_MS);
    });

    test("admits everything without limits", async () => {
      for (let at = 0; at < 100; at++) await taken([scope("key", "k", {})], 1e9, 0);
    });
  });
}
