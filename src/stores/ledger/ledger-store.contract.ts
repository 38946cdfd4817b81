import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { DAY_MS, LARGE, NOW, USAGE, answer, grant, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import { runs } from "../../../test/support/long.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { Price } from "../../money/price.ts";
import type { LedgerRecordStore } from "./ledger-record-store.ts";
import type { IdempotentReply, LedgerStore, Progress } from "./ledger-store.ts";

/** Both ports of one ledger. */
export interface LedgerPorts {
  readonly store: LedgerStore;
  readonly records: LedgerRecordStore;
}

/** A ledger under test, and two ways to reopen it: after a clean shutdown and after a crash. */
export interface LedgerFixture extends LedgerPorts {
  /** Records prices, as the catalog does. */
  recordPrices(prices: readonly Price[]): Promise<void>;
  reopen(): Promise<LedgerPorts>;
  crash(): Promise<LedgerPorts>;
  cleanUp(): Promise<void>;
}

const NOTHING_SPENT = { heldNanos: 0n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n };

function balance(of: LedgerStore, account = "acme"): [credit: bigint, held: bigint] {
  const { creditNanos, heldNanos } = of.balanceOf(account);
  return [creditNanos, heldNanos];
}

/** The amounts that are held, and spent on the day, in the month and in total. */
function spending(of: LedgerStore, scope: "account" | "key", id: string, atMs = NOW): bigint[] {
  const { heldNanos, dayNanos, monthNanos, totalNanos } = of.spendingOf(scope, id, atMs);
  return [heldNanos, dayNanos, monthNanos, totalNanos];
}

async function settleWithReply(store: LedgerStore, id: string, reply: (entry: SettleEntry) => IdempotentReply): Promise<void> {
  await store.hold(hold(id, 1n));
  await store.settle(id, settlement(1n), reply);
}

function progress(costNanos: bigint): () => Progress {
  const upstreamCostNanos = LARGE + costNanos;
  return () => ({
    costNanos,
    usage: USAGE,
    provenance: "partial",
    upstream: "u",
    upstreamModel: "u-m",
    costVersion: "c1",
    upstreamCostNanos,
  });
}

let walks = 0;

/** A step of the clock, and a request that may end in a later period than it began in. */
const anyStep = fc.record({
  jumpMs: fc.constantFrom(0, 1000, DAY_MS, DAY_MS, -DAY_MS, -3 * DAY_MS, 31 * DAY_MS, -31 * DAY_MS, -400 * DAY_MS, 400 * DAY_MS),
  endsAfterMs: fc.constantFrom(0, 0, DAY_MS, -DAY_MS),
  key: fc.nat(1),
  end: fc.constantFrom("goes on", "goes on", "goes on", "reopen"),
});

function isoDate(ms: number, digits: number): string {
  return new Date(ms).toISOString().slice(0, digits);
}

/** Contract tests for every implementation of this port. */
export function ledgerStoreContract(name: string, open: () => Promise<LedgerFixture>): void {
  describe(`${name} implements LedgerStore`, () => {
    let fixture: LedgerFixture;
    let store: LedgerStore;
    let records: LedgerRecordStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, records } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    describe("holds, settlements and releases", () => {
      test("an unknown account has a balance of zero", () => {
        expect(balance(store, "nobody")).toEqual([0n, 0n]);
        expect(store.spendingOf("key", "nobody", NOW)).toEqual(NOTHING_SPENT);
      });

      test("reports open holds of all accounts, and unwritten entries", async () => {
        expect(store.state()).toEqual({ openHolds: 0, heldNanos: 0n, unwrittenEntries: 0, failure: undefined });
        const held = store.hold(hold("r1", LARGE));
        const other = store.hold({ ...hold("r2", 7n), accountId: "other" });
        expect(store.state()).toEqual({ openHolds: 2, heldNanos: LARGE + 7n, unwrittenEntries: 2, failure: undefined });
        await Promise.all([held, other]);
        // Reading entries first writes the pending ones.
        expect(await records.entriesAfter(0, 9)).toHaveLength(2);
        expect(store.state()).toMatchObject({ openHolds: 2, unwrittenEntries: 0 });
        await store.settle("r1", settlement(1n));
        expect(store.state()).toMatchObject({ openHolds: 1, heldNanos: 7n, failure: undefined });
      });

      test("a hold counts at once, for its account and key only", async () => {
        const held = store.hold(hold("r1", LARGE));
        expect([balance(store), spending(store, "key", "key-1")[0]]).toEqual([[0n, LARGE], LARGE]);
        await held;
        expect([balance(store, "other"), spending(store, "key", "key-2")[0]]).toEqual([[0n, 0n], 0n]);
        expect(await records.findRequest("r1")).toEqual({ hold: { kind: "hold", id: 1, ...hold("r1", LARGE) }, closing: undefined });
      });

      test("a settlement replaces its hold, with usage and cost", async () => {
        await records.addCredit(grant(LARGE));
        await store.hold(hold("r1", 100n));
        const settled = store.settle("r1", settlement(70n, { atMs: NOW + 5 }));
        expect(balance(store)).toEqual([LARGE - 70n, 0n]);
        const entry = await settled;
        expect(entry).toEqual({
          ...hold("r1", 70n, { atMs: NOW + 5, reason: "complete" }),
          kind: "settle",
          id: 3,
          holdId: 2,
          unchargedNanos: 0n,
          usage: USAGE,
          provenance: "measured",
          upstream: "u",
          upstreamModel: "u-m",
          attempts: 1,
        });
        expect(await records.findRequest("r1")).toEqual({ hold: { kind: "hold", id: 2, ...hold("r1", 100n) }, closing: entry });
        expect(spending(store, "key", "key-1")).toEqual([0n, 70n, 70n, 70n]);
        expect(spending(store, "account", "acme")).toEqual([0n, 70n, 70n, 70n]);
      });

      test("a settlement has the version of the cost price", async () => {
        await store.hold(hold("r1", 100n));
        await store.settle("r1", settlement(70n, { costVersion: "c1" }));
        for (const of of [records, (await fixture.crash()).records]) {
          expect((await of.findRequest("r1"))?.closing).toMatchObject({ costVersion: "c1" });
        }
      });

      test("a settlement has what was used besides tokens", async () => {
        const premium = { hourWriteTokens: 2, toolCalls: { web_search: 3 }, multipliers: ["fast"] };
        await store.hold(hold("r1", 100n));
        await store.settle("r1", settlement(70n, { usage: { ...USAGE, premium } }));
        for (const of of [records, (await fixture.crash()).records]) {
          expect((await of.findRequest("r1"))?.closing).toMatchObject({ usage: { ...USAGE, premium } });
        }
      });

      test("hold, settlement and release have the attribution, and a settlement the upstream cost", async () => {
        const attribution = { user: "a 'user'; --", tags: { team: "search" }, conversation: "ü" };
        for (const id of ["r1", "r2", "open"]) await store.hold({ ...hold(id, 100n), attribution });
        await store.settle("r1", settlement(70n, { upstreamCostNanos: LARGE }));
        store.release("r2", "upstream_error", NOW);
        expect((await records.findRequest("open"))?.hold).toMatchObject({ attribution });
        const { records: after } = await fixture.crash();
        expect((await after.findRequest("r1"))?.closing).toMatchObject({ attribution, upstreamCostNanos: LARGE });
        expect((await after.findRequest("r2"))?.closing).toMatchObject({ kind: "release", attribution });
        expect(await after.findRequest("open")).toMatchObject({ hold: { attribution }, closing: { actor: "recovery", attribution } });
      });

      test("a release frees the hold", async () => {
        await store.hold(hold("r1", 100n));
        store.release("r1", "upstream_error", NOW + 5);
        expect([balance(store), spending(store, "key", "key-1")]).toEqual([
          [0n, 0n],
          [0n, 0n, 0n, 0n],
        ]);
        expect((await records.findRequest("r1"))?.closing).toMatchObject({
          kind: "release",
          holdId: 1,
          reason: "upstream_error",
          atMs: NOW + 5,
        });
      });

      test("a request has one hold, which ends once", async () => {
        await records.addCredit(grant(1000n));
        for (const end of ["settle", "release"] as const) {
          await store.hold(hold(end, 100n));
          expect(store.hold(hold(end, 100n))).rejects.toThrow("has had a hold already");
          if (end === "settle") await store.settle(end, settlement(70n));
          else store.release(end, "", NOW);
          expect(store.settle(end, settlement(70n))).rejects.toThrow("no open hold");
          expect(() => store.release(end, "", NOW)).toThrow("no open hold");
          expect(store.hold(hold(end, 100n))).rejects.toThrow("has had a hold already");
        }
        expect(store.settle("never", settlement(1n))).rejects.toThrow("no open hold");
        expect(balance(store)).toEqual([930n, 0n]);
        ({ store, records } = await fixture.reopen());
        expect(store.hold(hold("settle", 100n))).rejects.toThrow("has had a hold already");
        expect([balance(store), (await records.entriesAfter(0, 100)).length]).toEqual([[930n, 0n], 5]);
      });

      test("charges a cost above the hold, but at most the hold while the balance is below zero", async () => {
        await records.addCredit(grant(100n));
        await store.hold(hold("r1", 50n));
        await store.hold(hold("r2", 50n));
        expect(await store.settle("r1", settlement(80n))).toMatchObject({ amountNanos: 80n, unchargedNanos: 0n });
        expect(await store.settle("r2", settlement(90n))).toMatchObject({ amountNanos: 50n, unchargedNanos: 40n });
        expect(balance(store)).toEqual([-30n, 0n]);
        expect(balance((await fixture.reopen()).store)).toEqual([-30n, 0n]);
      });
    });

    describe("spending", () => {
      test("is counted by calendar day, calendar month (UTC) and in total", async () => {
        const spend = async (id: string, date: string, cost: bigint): Promise<void> => {
          await store.hold(hold(id, cost, { atMs: Date.parse(date) }));
          await store.settle(id, settlement(cost, { atMs: Date.parse(date) }));
        };
        await spend("r1", "2027-02-28T23:59:59.999Z", 1n);
        await spend("r2", "2027-03-01T00:00:00.000Z", 10n);
        await spend("r3", "2027-03-31T23:59:59.999Z", 100n);
        expect(spending(store, "key", "key-1", Date.parse("2027-03-31T23:59:59.999Z"))).toEqual([0n, 100n, 110n, 111n]);
        expect(spending(store, "account", "acme", Date.parse("2027-04-01T00:00:00.000Z"))).toEqual([0n, 0n, 0n, 111n]);
        expect(spending((await fixture.crash()).store, "key", "key-1", Date.parse("2027-03-31T23:59:59.999Z"))).toEqual([
          0n,
          100n,
          110n,
          111n,
        ]);
      });

      test("of a day and a month counts whenever the wall clock is in them, also after it was far ahead", async () => {
        const spend = async (id: string, cost: bigint, atMs: number): Promise<void> => {
          await store.hold(hold(id, cost, { atMs }));
          await store.settle(id, settlement(cost, { atMs }));
        };
        await spend("r1", 5n, NOW);
        expect(spending(store, "key", "key-1", NOW - DAY_MS)).toEqual([0n, 0n, 5n, 5n]);
        await spend("r2", 3n, NOW + 400 * DAY_MS);
        await spend("r3", 2n, NOW + 401 * DAY_MS);
        expect(spending(store, "key", "key-1")).toEqual([0n, 5n, 5n, 10n]);
        await spend("r4", 7n, NOW);
        expect(spending(store, "key", "key-1")).toEqual([0n, 12n, 12n, 17n]);
        ({ store, records } = await fixture.reopen());
        expect(spending(store, "key", "key-1")).toEqual([0n, 12n, 12n, 17n]);
        expect(spending(store, "account", "acme", NOW + 400 * DAY_MS)).toEqual([0n, 3n, 5n, 17n]);
        expect(spending(store, "account", "acme", NOW + 402 * DAY_MS)).toEqual([0n, 0n, 5n, 17n]);
      });

      test("equals the sum of the charges of the day and the month, wherever the wall clock goes", async () => {
        const walk = fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 14, size: "max" }), async (steps) => {
          const charges: { atMs: number; keyId: string; nanos: bigint }[] = [];
          const plain = (keyId: string | undefined, nowMs: number, digits: number): bigint =>
            charges.reduce((sum, each) => {
              const counts = (keyId ?? each.keyId) === each.keyId && isoDate(each.atMs, digits) === isoDate(nowMs, digits);
              return counts ? sum + each.nanos : sum;
            }, 0n);
          const accountId = `walk-${++walks}`;
          let nowMs = NOW;
          for (const { jumpMs, endsAfterMs, key, end } of steps) {
            nowMs += jumpMs;
            const [requestId, nanos] = [`${accountId}-${charges.length}`, BigInt(charges.length + 1)];
            const [keyId, atMs] = [`${accountId}-${key}`, nowMs + endsAfterMs];
            await store.hold(hold(requestId, nanos, { accountId, keyId, atMs: nowMs }));
            await store.settle(requestId, settlement(nanos, { atMs }));
            charges.push({ atMs, keyId, nanos });
            if (end === "reopen") ({ store } = await fixture.reopen());
            for (const at of [nowMs, atMs]) {
              expect(spending(store, "account", accountId, at).slice(1, 3)).toEqual([plain(undefined, at, 10), plain(undefined, at, 7)]);
              expect(spending(store, "key", keyId, at).slice(1, 3)).toEqual([plain(keyId, at, 10), plain(keyId, at, 7)]);
            }
          }
        });
        await fc.assert(walk, runs(8, 400));
      });
    });

    describe("a restart", () => {
      test("has all confirmed entries", async () => {
        await records.addCredit(grant(LARGE));
        await store.hold(hold("r1", 10n));
        await store.settle("r1", settlement(4n), answer("s"));
        const before = await records.entriesAfter(0, 100);
        for (const restart of ["crash", "reopen"] as const) {
          ({ store, records } = await fixture[restart]());
          expect(await records.entriesAfter(0, 100)).toEqual(before);
          expect([balance(store), spending(store, "key", "key-1")]).toEqual([
            [LARGE - 4n, 0n],
            [0n, 4n, 4n, 4n],
          ]);
          expect((await store.findReply("s", NOW))?.body).toBe("{}");
        }
      });

      test("releases open holds without progress, once", async () => {
        await records.addCredit(grant(100n));
        await store.hold(hold("r1", 10n));
        await store.hold(hold("r2", 20n));
        for (const restart of ["crash", "reopen"] as const) {
          ({ store, records } = await fixture[restart]());
          expect([balance(store), (await records.entriesAfter(3, 100)).length]).toEqual([[100n, 0n], 2]);
          expect((await records.findRequest("r2"))?.closing).toMatchObject({ kind: "release", actor: "recovery", holdId: 3 });
          expect(() => store.release("r1", "late", NOW)).toThrow("no open hold");
        }
      });

      test("charges recorded progress up to the hold, and nothing for closed requests", async () => {
        await records.addCredit(grant(100n));
        const known = Promise.withResolvers<void>();
        let asked = 0;
        for (const id of ["within", "above", "ended", "unknown", "between"]) await store.hold(hold(id, 20n));
        store.watch("within", progress(7n));
        store.watch("above", progress(25n));
        store.watch("ended", progress(9n));
        store.watch("between", () => undefined);
        store.watch("within", () => {
          // The second question proves that the result of the first one is written.
          if (++asked === 2) known.resolve();
          return progress(7n)();
        });
        await known.promise;
        store.release("ended", "internal_error", NOW);
        await records.entriesOf("acme", 99, 1);

        ({ store, records } = await fixture.crash());
        const settled = {
          kind: "settle",
          actor: "recovery",
          usage: USAGE,
          provenance: "partial",
          upstream: "u",
          upstreamModel: "u-m",
          costVersion: "c1",
        };
        expect((await records.findRequest("within"))?.closing).toMatchObject({
          ...settled,
          amountNanos: 7n,
          unchargedNanos: 0n,
          upstreamCostNanos: LARGE + 7n,
        });
        expect((await records.findRequest("above"))?.closing).toMatchObject({
          ...settled,
          amountNanos: 20n,
          unchargedNanos: 5n,
          upstreamCostNanos: LARGE + 25n,
        });
        expect((await records.findRequest("ended"))?.closing).toMatchObject({ kind: "release", actor: "key-1" });
        for (const id of ["unknown", "between"]) {
          expect((await records.findRequest(id))?.closing).toMatchObject({ kind: "release", actor: "recovery" });
        }
        expect(balance(store)).toEqual([73n, 0n]);
        expect(balance((await fixture.crash()).store)).toEqual([73n, 0n]);
      });
    });

    describe("answers", () => {
      test("are stored unchanged for 24 hours, each under its scope", async () => {
        await settleWithReply(store, "r1", answer("s1", { body: "é\u0000", headers: {} }));
        await settleWithReply(store, "r2", answer("s2", { body: undefined }));
        for (const of of [store, (await fixture.crash()).store]) {
          expect(await of.findReply("s1", NOW)).toEqual({
            scope: "s1",
            digest: "d",
            requestId: "r1",
            atMs: NOW,
            headers: {},
            body: "é\u0000",
          });
          expect(await of.findReply("s2", NOW)).toMatchObject({ body: undefined, headers: { "x-a": "ü" } });
          expect((await of.findReply("s1", NOW + DAY_MS - 1))?.requestId).toBe("r1");
          expect(await of.findReply("s1", NOW + DAY_MS)).toBeUndefined();
          expect(await of.findReply("s3", NOW)).toBeUndefined();
        }
      });

      test("receive the settlement that they are stored with", async () => {
        await settleWithReply(store, "r1", (entry) => ({ ...answer("s1")(entry), body: String(entry.amountNanos) }));
        expect((await store.findReply("s1", NOW))?.body).toBe("1");
      });
    });
  });
}
