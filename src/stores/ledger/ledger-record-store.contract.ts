import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LARGE, NOW, grant, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import type { Entry } from "../../money/ledger-entry.ts";
import { MAX_NANOS } from "../../money/money.ts";
import { makePrice } from "../../money/price.ts";
import type { LedgerRecordStore, NewCredit } from "./ledger-record-store.ts";
import type { LedgerFixture } from "./ledger-store.contract.ts";
import type { LedgerStore } from "./ledger-store.ts";

function balance(of: LedgerRecordStore, account = "acme"): [credit: bigint, held: bigint] {
  const { creditNanos, heldNanos } = of.balanceOf(account);
  return [creditNanos, heldNanos];
}

function kindsAndIds(entries: readonly Entry[]): string {
  return entries.map(({ kind, id }) => `${kind} ${id}`).join();
}

async function holdAndSettle(store: LedgerStore, id: string): Promise<void> {
  await store.hold(hold(id, 3n));
  await store.settle(id, settlement(2n));
}

/** Contract tests for every implementation of this port. */
export function ledgerRecordStoreContract(name: string, open: () => Promise<LedgerFixture>): void {
  describe(`${name} implements LedgerRecordStore`, () => {
    let fixture: LedgerFixture;
    let store: LedgerStore;
    let records: LedgerRecordStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, records } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    async function expectTooMuch(credit: NewCredit): Promise<void> {
      const reason = { code: "invalid_value", param: "amount" };
      expect(await Promise.allSettled([records.addCredit(credit)])).toMatchObject([{ status: "rejected", reason }]);
    }

    describe("credit", () => {
      test("beyond the range of a balance is rejected, and an adjustment back is not", async () => {
        await records.addCredit(grant(MAX_NANOS, { reference: "1" }));
        await expectTooMuch(grant(1n, { reference: "2" }));
        expect(await records.addCredit(grant(MAX_NANOS, { reference: "1" }))).toMatchObject({ isNew: false });
        await store.hold(hold("r1", 1n));
        await store.settle("r1", settlement(3n * MAX_NANOS));
        await expectTooMuch(grant(-1n, { kind: "adjustment", reference: "3" }));
        await records.addCredit(grant(5n, { reference: "4" }));
        expect(balance((await fixture.reopen()).records)).toEqual([5n - 2n * MAX_NANOS, 0n]);
      });

      test("is idempotent by reference and account", async () => {
        const first = await records.addCredit(grant(LARGE));
        expect(first).toEqual({ entry: { id: 1, ...grant(LARGE) }, isNew: true });
        expect(await records.addCredit(grant(5n, { kind: "adjustment" }))).toEqual({ entry: first.entry, isNew: false });
        ({ records } = await fixture.reopen());
        expect(await records.addCredit(grant(LARGE))).toEqual({ entry: first.entry, isNew: false });
        expect((await records.addCredit(grant(7n, { accountId: "other" }))).isNew).toBe(true);
        expect([balance(records), balance(records, "other")]).toEqual([
          [LARGE, 0n],
          [7n, 0n],
        ]);
      });

      test("can be adjusted in both directions", async () => {
        await records.addCredit(grant(100n));
        await records.addCredit(grant(-130n, { kind: "adjustment", reference: "mistake" }));
        expect(balance(records)).toEqual([-30n, 0n]);
        expect(balance((await fixture.crash()).records)).toEqual([-30n, 0n]);
      });
    });

    describe("entries", () => {
      beforeEach(async () => {
        await records.addCredit(grant(1000n));
        await records.addCredit(grant(1000n, { accountId: "other" }));
        for (const id of ["r1", "r2"]) await store.hold(hold(id, 10n));
        await store.settle("r1", settlement(4n));
        store.release("r2", "internal_error", NOW);
        await store.hold(hold("r3", 1n, { accountId: "other" }));
      });

      test("are read in order, in pages, without gaps", async () => {
        expect(kindsAndIds(await records.entriesAfter(0, 100))).toBe("grant 1,grant 2,hold 3,hold 4,settle 5,release 6,hold 7");
        expect(kindsAndIds(await records.entriesAfter(0, 3))).toBe("grant 1,grant 2,hold 3");
        expect(kindsAndIds(await records.entriesAfter(3, 2))).toBe("hold 4,settle 5");
        expect(await records.entriesAfter(7, 2)).toEqual([]);
      });

      test("of an account are read newest first, without holds", async () => {
        expect(kindsAndIds(await records.entriesOf("acme", Number.MAX_SAFE_INTEGER, 100))).toBe("release 6,settle 5,grant 1");
        expect(kindsAndIds(await records.entriesOf("acme", 6, 1))).toBe("settle 5");
        expect(kindsAndIds(await records.entriesOf("acme", 5, 9))).toBe("grant 1");
        expect(kindsAndIds(await records.entriesOf("other", 99, 9))).toBe("grant 2");
      });

      test("a grant or an adjustment is found by its account and its reference", async () => {
        const { entry } = await records.addCredit(grant(-3n, { kind: "adjustment", reference: "mistake" }));
        expect(await records.findCredit("acme", "mistake")).toEqual(entry);
        expect(await records.findCredit("other", "mistake")).toBeUndefined();
        expect(await records.findCredit("acme", "")).toBeUndefined();
      });

      test("of an account are numbered from 1 without gaps, in any order of reads", async () => {
        const numbers = async (...ids: number[]): Promise<number[]> => Promise.all(ids.map((id) => records.numberOf("acme", id)));
        expect(await numbers(1)).toEqual([1]);
        expect(await numbers(6, 5, 1)).toEqual([3, 2, 1]);
        expect(await records.numberOf("other", 2)).toBe(1);
        const { entry } = await records.addCredit(grant(1n, { reference: "later" }));
        expect(await numbers(entry.id, 5)).toEqual([4, 2]);
      });

      test("add up to the balances", async () => {
        const { asOfId, accounts, spentByKey } = await records.balances();
        expect([asOfId, accounts.size]).toEqual([7, 2]);
        expect(accounts.get("acme")).toEqual({ creditNanos: 996n, heldNanos: 0n, spentNanos: 4n });
        expect(accounts.get("other")).toEqual({ creditNanos: 1000n, heldNanos: 1n, spentNanos: 0n });
        expect([spentByKey.get("key-1"), spentByKey.get("key-2")]).toEqual([4n, undefined]);
      });

      test("up to one of them add up to the balances, while requests are in flight", async () => {
        const served = Promise.all(Array.from({ length: 20 }, (_, at) => holdAndSettle(store, `later-${at}`)));
        const taken = [];
        for (let at = 0; at < 5; at++) {
          taken.push(await records.balances());
          await nextTurn();
        }
        await served;
        const entries = (await records.entriesAfter(0, 100)).filter(({ accountId }) => accountId === "acme");
        for (const { asOfId, accounts, spentByKey } of taken) {
          const included = entries.filter(({ id }) => id <= asOfId);
          const spent = included.reduce((sum, entry) => (entry.kind === "settle" ? sum + entry.amountNanos : sum), 0n);
          const [holds, ends] = ["hold", "settle release"].map((kinds) => included.filter(({ kind }) => kinds.includes(kind)).length);
          const sums = { creditNanos: 1000n - spent, heldNanos: 3n * BigInt(holds! - ends!), spentNanos: spent };
          expect([accounts.get("acme"), spentByKey.get("key-1")]).toEqual([sums, spent]);
        }
      });

      test("that balances include are durable", async () => {
        const held = store.hold(hold("r4", 2n));
        const { asOfId } = await records.balances();
        const crashed = await fixture.crash();
        expect([asOfId, (await crashed.records.findRequest("r4"))?.hold.id]).toEqual([8, 8]);
        await held;
      });
    });

    test("records the first version of each price", async () => {
      const rates = { inputPicos: LARGE, cachedInputPicos: 1n, cacheWritePicos: 2n, outputPicos: 3n, reasoningPicos: 4n };
      const tiers = [{ aboveInputTokens: 200_000, rates: { ...rates, outputPicos: 5n } }];
      const price = makePrice({ effectiveAtMs: NOW, source: "operator", rates, tiers });
      await fixture.recordPrices([price]);
      const simpler = makePrice({ ...price, tiers: [] });
      await fixture.recordPrices([price, simpler]);
      for (const of of [records, (await fixture.crash()).records]) {
        expect([await of.price(price.version), await of.price(simpler.version)]).toEqual([price, simpler]);
        expect(await of.price("none")).toBeUndefined();
        expect(await of.tierBounds()).toEqual([200_000]);
      }
    });
  });
}
