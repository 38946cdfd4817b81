import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { endedRequest } from "../../../test/request-log/ended-requests.ts";
import type { Attempt } from "../../requests/attempt.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { AmountOrder, RequestFilter, RequestLogStore, SortedRequest } from "./request-log-store.ts";
import type { RequestLogFixture } from "./request-log-store.contract.ts";

const NOON_MS = Date.parse("2027-01-31T12:00:00Z");
const HOUR_MS = 3_600_000;

interface Sketch {
  readonly ms?: number;
  /** Undefined for a request without a charge. */
  readonly nanos?: bigint | undefined;
  readonly tokens?: number;
  readonly accountId?: string;
  readonly endedAtMs?: number;
  readonly detail?: string;
  readonly attempts?: readonly Partial<Attempt>[];
}

function ended({ ms = 100, tokens = 10, accountId = "acme", endedAtMs = NOON_MS, ...sketch }: Sketch): EndedRequest {
  const plain = endedRequest({ endedAtMs });
  const nanos = "nanos" in sketch ? sketch.nanos : 5n;
  const charge = plain.notes.charge!;
  const usage = { ...charge.usage, promptTokens: tokens - 1, completionTokens: 1 } as typeof charge.usage;
  const notes = endedRequest({
    endedAtMs,
    notes: {
      accountId,
      charge: nanos === undefined ? undefined : { ...charge, amountNanos: nanos, usage },
      ...(sketch.detail !== undefined && { detail: sketch.detail }),
      ...(sketch.attempts && { attempts: sketch.attempts.map((attempt) => ({ ...plain.notes.attempts[0]!, ...attempt })) }),
    },
  });
  return { ...notes, endedAt: notes.startedAt + ms };
}

/** Contract tests of filters by amounts and error text, orders by amounts, and counts, for every implementation of this port. */
export function scanningContract(name: string, open: (nowMs: () => number) => Promise<RequestLogFixture>): void {
  describe(`${name} scans requests`, () => {
    let fixture: RequestLogFixture;
    let store: RequestLogStore;
    beforeEach(async () => {
      fixture = await open(() => NOON_MS);
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    function note(...sketches: readonly Sketch[]): string[] {
      return sketches.map((sketch) => {
        const each = ended(sketch);
        store.note(each);
        return each.requestId;
      });
    }

    async function ids(filter: RequestFilter): Promise<string[]> {
      return (await store.list(filter, undefined, "newer", 1000)).map(({ request }) => request.requestId);
    }

    test("filters by cost, duration, tokens and attempts, with both bounds included", async () => {
      const tried = { outcome: "failed", detail: "no" } as const;
      const [plain, costly, slow, long, twice, free] = note(
        {},
        { nanos: 9_000_000_000_000_000_000n },
        { ms: 2500.5 },
        { tokens: 9000 },
        { attempts: [tried, {}] },
        { nanos: undefined, attempts: [] },
      );
      const all = [plain!, costly!, slow!, long!, twice!, free!];
      expect(await ids({ amounts: { cost: { least: 6n } } })).toEqual([costly!]);
      expect(await ids({ amounts: { cost: { least: 0n } } })).toEqual(all.filter((id) => id !== free));
      expect(await ids({ amounts: { cost: { least: 5n, most: 5n } } })).toEqual([plain!, slow!, long!, twice!]);
      expect(await ids({ amounts: { duration: { least: 2500.5, most: 2500.5 } } })).toEqual([slow!]);
      expect(await ids({ amounts: { duration: { most: 99 } } })).toEqual([]);
      expect(await ids({ amounts: { tokens: { least: 9000, most: 9000 } } })).toEqual([long!]);
      expect(await ids({ amounts: { attempts: { least: 2 } } })).toEqual([twice!]);
      expect(await ids({ amounts: { attempts: { most: 0 } } })).toEqual([free!]);
      expect(await ids({ amounts: { attempts: { least: 1, most: 1 }, tokens: { most: 10 }, cost: { most: 5n } } })).toEqual([
        plain!,
        slow!,
      ]);
    });

    test("filters by a part of the details of a request or of an attempt, in which nothing is a pattern", async () => {
      const [, refused, failed, odd] = note(
        {},
        { detail: "The daily cap is reached" },
        { attempts: [{ outcome: "failed", detail: 'East said: "Out of order"\nthen \\n' }, {}] },
        { detail: String.raw`100% of a_b \ it's` },
      );
      expect(await ids({ errorText: "DAILY cap" })).toEqual([refused!]);
      for (const text of ['"out of', 'Order"\nTHEN', "\\n"]) expect(await ids({ errorText: text })).toEqual([failed!]);
      for (const text of ["100%", "a_b", String.raw`b \ it's`]) expect(await ids({ errorText: text })).toEqual([odd!]);
      for (const text of ["%", "_"]) expect(await ids({ errorText: text })).toEqual([odd!]);
      expect(await ids({ errorText: "answered" })).toEqual([]);
      expect(await ids({ errorText: "cap", accountId: "beta" })).toEqual([]);
    });

    test("sorts by cost, duration and tokens over days, in pages that have each request once", async () => {
      const costs = [5n, 1n, undefined, 7n, 5n, 0n, 5n, 7n, undefined, 3n];
      const noted = note(
        ...costs.map((nanos, at) => ({
          nanos,
          ms: 10 + ((at * 7) % 10),
          tokens: 10 + ((at * 3) % 10),
          endedAtMs: NOON_MS + at * 5 * HOUR_MS,
        })),
      );
      const at = (order: AmountOrder, limit: number): Promise<number[]> =>
        sortedIds(store, {}, order, limit).then((found) => found.map((id) => noted.indexOf(id)));
      for (const limit of [1, 2, 3, 10, 100]) {
        expect(await at({ by: "cost", direction: "highest" }, limit)).toEqual([7, 3, 6, 4, 0, 9, 1, 5, 8, 2]);
        expect(await at({ by: "cost", direction: "lowest" }, limit)).toEqual([5, 1, 9, 6, 4, 0, 7, 3, 8, 2]);
        expect(await at({ by: "duration", direction: "highest" }, limit)).toEqual([7, 4, 1, 8, 5, 2, 9, 6, 3, 0]);
        expect((await at({ by: "tokens", direction: "lowest" }, limit)).slice(0, 3)).toEqual([0, 7, 4]);
      }
      const [first] = (await store.listSorted({ amounts: { cost: { most: 5n } } }, { by: "cost", direction: "highest" }, undefined, 1))!;
      expect(first!.request).toMatchObject({ requestId: noted[6]!, costNanos: 5n });
      const span = { fromMs: NOON_MS + 5 * HOUR_MS, toMs: NOON_MS + 20 * HOUR_MS };
      expect(await sortedIds(store, span, { by: "cost", direction: "highest" }, 2)).toEqual([noted[3]!, noted[1]!, noted[2]!]);
      expect(await sortedIds(store, { accountId: "nobody" }, { by: "cost", direction: "highest" }, 2)).toEqual([]);
    });

    test("counts requests exactly, within any span", async () => {
      const times = Array.from({ length: 40 }, (_, at) => NOON_MS + at * 7 * 60_000);
      note(...times.map((endedAtMs, at) => ({ endedAtMs, accountId: at % 4 ? "acme" : "beta", ms: at })));
      const count = async (filter: RequestFilter): Promise<number> => {
        const found = await store.count(filter);
        expect(found.isExact).toBe(true);
        expect(found.count).toBe((await ids(filter)).length);
        return found.count;
      };
      expect(await count({})).toBe(40);
      expect(await count({ attributed: [] })).toBe(40);
      expect(await count({ accountId: "beta" })).toBe(10);
      expect(await count({ accountId: "beta", model: "other" })).toBe(0);
      expect(await count({ amounts: { duration: { least: 30 } } })).toBe(10);
      expect(await count({ keyId: "nobody" })).toBe(0);
      for (const [from, to] of [
        [1, 39],
        [3, 4],
        [3, 5],
        [0, 40],
        [17, 33],
      ] as const) {
        expect(await count({ fromMs: times[from]!, toMs: times[to] ?? NOON_MS * 2 })).toBe(to - from);
        await count({ fromMs: times[from]! + 1, toMs: times[from]! + 3 * HOUR_MS, accountId: "acme" });
      }
      expect(await count({ fromMs: times[30]! })).toBe(10);
      expect(await count({ toMs: times[30]! })).toBe(30);
      store = await fixture.reopen();
      expect(await count({})).toBe(40);
    });
  });
}

/** All requests in an order, read page by page. */
async function sortedIds(store: RequestLogStore, filter: RequestFilter, order: AmountOrder, limit: number): Promise<string[]> {
  const met: string[] = [];
  for (let page: readonly SortedRequest[] | undefined; page === undefined || page.length > 0;) {
    page = (await store.listSorted(filter, order, page?.at(-1), limit))!;
    met.push(...page.map(({ request }) => request.requestId));
  }
  return met;
}
