import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, grant, hold, LARGE, NOW, settlement, USAGE } from "../../../test/support/money/ledger-samples.ts";
import type { LedgerRecordStore } from "./ledger-record-store.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { HistoricalRequest, RequestHistoryFilter, RequestHistoryStore } from "./request-history-store.ts";

type Ledger = Pick<LedgerStore, "hold" | "settle" | "release"> & Pick<LedgerRecordStore, "addCredit">;

/** A history under test, and the ledger that contains its requests. */
export interface RequestHistoryStoreFixture {
  readonly ledger: Ledger;
  readonly history: RequestHistoryStore;
  cleanUp(): Promise<void>;
}

/** More than one batch on either database. */
const MANY = 12_000;

/** Requests every seven minutes, on a clock that is corrected now and then. */
const DRAWN = Array.from({ length: 2500 }, (_, at) => ({
  accountId: `account-${at % 3}`,
  keyId: at === 1299 || at === 1512 ? "seldom" : `key-${at % 3}-${at % 2}`,
  model: `model-${at % 5}`,
  atMs: NOW + at * 7 * 60_000 - (at % 500 < 5 ? 45 * 60_000 : 0),
}));
const SINCE = { sinceMs: DRAWN[1003]!.atMs };
const FILTERS: readonly RequestHistoryFilter[] = [
  { sinceMs: 0 },
  SINCE,
  { sinceMs: 0, accountId: "account-1" },
  { ...SINCE, accountId: "account-1" },
  { ...SINCE, accountId: "account-1", keyId: "key-1-0" },
  { ...SINCE, accountId: "account-2", model: "model-4" },
  { sinceMs: 0, accountId: "account-0", keyId: "seldom" },
  { sinceMs: NOW + 3 * DAY_MS, model: "model-3" },
  { ...SINCE, keyId: "key-1-0", model: "model-4" },
  { sinceMs: 0, accountId: "nobody" },
];

/** Ends a request with a settlement or a release. */
function end(ledger: Ledger, at: number): Promise<unknown>[] {
  const { atMs } = DRAWN[at]!;
  if (at % 11 > 0) return [ledger.settle(`r${at}`, settlement(0n, { atMs }))];
  ledger.release(`r${at}`, "upstream_error", atMs);
  return [];
}

/**
 * Records requests that end in any order: one of fifty takes longer than hundreds of others, and the last of these long requests stay open.
 */
export async function recordInAnyOrder(ledger: Ledger): Promise<void> {
  for (let from = 0; from < DRAWN.length; from += 50) {
    const places = Array.from({ length: 50 }, (_, at) => from + at);
    await ledger.addCredit(grant(1n, { accountId: "account-1", reference: `grant-${from}` }));
    await Promise.all(places.map((at) => ledger.hold(hold(`r${at}`, BigInt(at), DRAWN[at]))));
    const ended = places.map((at) => (at % 50 === 49 ? at - 300 : at)).filter((at) => at >= 0);
    await Promise.all(ended.toReversed().flatMap((at) => end(ledger, at)));
  }
}

/** Contract tests for every implementation of this port. */
export function requestHistoryStoreContract(name: string, open: () => Promise<RequestHistoryStoreFixture>): void {
  describe(`${name} implements RequestHistoryStore`, () => {
    let fixture: RequestHistoryStoreFixture;
    let ledger: Ledger;
    let history: RequestHistoryStore;
    beforeEach(async () => {
      fixture = await open();
      ({ ledger, history } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    async function read(filter: RequestHistoryFilter): Promise<HistoricalRequest[]> {
      const all: HistoricalRequest[] = [];
      await history.each(filter, (requests) => all.push(...requests));
      return all;
    }

    /** Checks the order by the holds: the amount held for each request is its position. */
    async function expectEachInOrder(): Promise<void> {
      for (const filter of FILTERS) {
        const { sinceMs, ...named } = filter;
        const wanted = DRAWN.filter(
          (each) => each.atMs >= sinceMs && Object.entries(named).every(([field, id]) => each[field as "model"] === id),
        );
        expect((await read(filter)).map(({ heldNanos }) => heldNanos)).toEqual(wanted.map((each) => BigInt(DRAWN.indexOf(each))));
      }
    }

    const holdMany = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, (_, at) => ledger.hold(hold(`r${at}`, 1n))));

    test("returns a request with its closing entry and usage, if any", async () => {
      expect(await read({ sinceMs: 0 })).toEqual([]);
      await ledger.addCredit(grant(LARGE));
      const attribution = { user: "ada", tags: { team: "search" } };
      for (const id of ["settled", "released", "open"]) await ledger.hold(hold(id, LARGE, { attribution }));
      ledger.release("released", "upstream_error", NOW + 1);
      await ledger.settle("settled", settlement(7n, { atMs: NOW + 2 }));
      const same = { accountId: "acme", keyId: "key-1", model: "m", requestedModel: "m", atMs: NOW, heldNanos: LARGE, attribution };
      const answer = { usage: USAGE, upstream: "u" };
      expect(await read({ sinceMs: 0 })).toEqual([
        { ...same, id: 2, end: { id: 6, atMs: NOW + 2, priceVersion: "v1", chargedNanos: 7n, answer } },
        { ...same, id: 3, end: { id: 5, atMs: NOW + 1, priceVersion: "v1", chargedNanos: 0n, answer: undefined } },
        { ...same, id: 4, end: undefined },
      ]);
    });

    test("has the model that answered, and finds it by that", async () => {
      await ledger.addCredit(grant(LARGE));
      for (const id of ["by-fallback", "by-itself"]) await ledger.hold(hold(id, 1n));
      await ledger.settle("by-fallback", settlement(7n, { servedBy: { model: "other", priceVersion: "v2" } }));
      await ledger.settle("by-itself", settlement(7n));
      const all = await read({ sinceMs: 0 });
      expect(all.map(({ model, requestedModel, end: closing }) => [model, requestedModel, closing?.priceVersion])).toEqual([
        ["other", "m", "v2"],
        ["m", "m", "v1"],
      ]);
      for (const accountId of [undefined, "acme"]) {
        expect(await read({ sinceMs: 0, accountId, model: "other" })).toEqual([all[0]!]);
        expect(await read({ sinceMs: 0, accountId, model: "m" })).toEqual([all[1]!]);
      }
    });

    test("filters by time, account, key and model, in order, also where the wall clock was adjusted", async () => {
      await Promise.all(
        DRAWN.flatMap((each, at) => {
          const held = ledger.hold(hold(`r${at}`, BigInt(at), each));
          return at % 7 === 0 ? [held] : [held, ledger.settle(`r${at}`, settlement(0n, { atMs: each.atMs }))];
        }),
      );
      await expectEachInOrder();
    });

    test("finds the requests of an account in the order of their admission, in whatever order they ended", async () => {
      await recordInAnyOrder(ledger);
      await expectEachInOrder();
    });

    test("serves other work between batches, and ends when the signal is aborted", async () => {
      await holdMany(MANY);
      let turns = 0;
      const look = (): void => {
        turns++;
        turn = setImmediate(look);
      };
      let turn = setImmediate(look);
      const batches: number[] = [];
      await history.each({ sinceMs: 0 }, ({ length }) => batches.push(length));
      clearImmediate(turn);
      expect(batches.reduce((sum, length) => sum + length, 0)).toBe(MANY);
      expect(batches.length).toBeGreaterThan(1);
      expect(turns).toBeGreaterThanOrEqual(batches.length - 1);
      const leaving = new AbortController();
      const received: number[] = [];
      const stop = ({ length }: readonly HistoricalRequest[]): void => {
        received.push(length);
        leaving.abort();
      };
      await history.each({ sinceMs: 0 }, stop, leaving.signal);
      expect(received).toEqual(batches.slice(0, 1));
      await history.each({ sinceMs: 0 }, stop, leaving.signal);
      expect(received).toHaveLength(1);
    });

    test("reads one history at a time, also after a consumer that throws", async () => {
      await holdMany(MANY);
      const order: string[] = [];
      const failing = history.each({ sinceMs: 0 }, () => {
        throw new Error("the consumer failed");
      });
      await Promise.all([
        failing.catch((error: Error) => order.push(error.message)),
        ...["first", "second"].map((reader) => history.each({ sinceMs: 0 }, () => order.push(reader))),
      ]);
      expect([...new Set(order)]).toEqual(["the consumer failed", "first", "second"]);
      expect(order.lastIndexOf("first")).toBeLessThan(order.indexOf("second"));
    });
  });
}
