import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, LARGE, NOW, USAGE, grant, hold, settlement } from "../../../test/ledger-samples.ts";
import type { LedgerStoreFixture } from "./ledger-store.contract.ts";
import type { LedgerStore, UsageFilter, UsageGroup, UsageRow } from "./ledger-store.ts";

const EVER = { fromMs: 0, toMs: NOW + 1000 * DAY_MS };
const MINUTE_MS = 60_000;

interface Request {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly atMs: number;
  readonly costNanos: bigint;
}

/** Requests of some weeks, more than are added up in one go, on a clock that is put right now and then. */
function requests(count: number): Request[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `r${at}`,
    accountId: `account-${at % 3}`,
    keyId: `key-${at % 3}-${at % 2}`,
    model: `model-${at % 5}`,
    atMs: NOW + at * 7 * MINUTE_MS - (at % 500 < 5 ? 45 * MINUTE_MS : 0),
    costNanos: LARGE + BigInt(at),
  }));
}

async function settleAll(store: LedgerStore, all: readonly Request[]): Promise<void> {
  for (const { id, costNanos, ...names } of all) {
    await store.hold(hold(id, costNanos, names));
    await store.settle(id, settlement(costNanos, { atMs: names.atMs }));
  }
}

const NAMES: Record<UsageGroup, (request: Request) => string> = {
  day: ({ atMs }) => new Date(atMs).toISOString().slice(0, 10),
  model: ({ model }) => model,
  key: ({ keyId }) => keyId,
  account: ({ accountId }) => accountId,
};

/** The same sums, in the plainest way. */
function addUp(all: readonly Request[], filter: UsageFilter, by: UsageGroup): UsageRow[] {
  const { accountId, keyId, model, fromMs, toMs } = filter;
  const meant = all
    .filter((each) => each.atMs >= fromMs && each.atMs < toMs)
    .filter((each) => (accountId ?? each.accountId) === each.accountId && (keyId ?? each.keyId) === each.keyId)
    .filter((each) => (model ?? each.model) === each.model);
  const names = [...new Set(meant.map(NAMES[by]))].toSorted();
  return names.map((name) => {
    const of = meant.filter((each) => NAMES[by](each) === name);
    return {
      name,
      requests: of.length,
      promptTokens: of.length * USAGE.promptTokens,
      cachedTokens: of.length * USAGE.cachedTokens,
      completionTokens: of.length * USAGE.completionTokens,
      costNanos: of.reduce((sum, { costNanos }) => sum + costNanos, 0n),
    };
  });
}

/** What every implementation of the port must do when it is asked what was used. */
export function ledgerUsageContract(name: string, open: () => Promise<LedgerStoreFixture>): void {
  describe(`${name} adds up usage`, () => {
    let fixture: LedgerStoreFixture;
    let store: LedgerStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    test("an empty ledger has none", async () => {
      expect(await store.usage(EVER, "model")).toEqual([]);
    });

    test("by day, model, key and account, of all and of each, to the nano-dollar", async () => {
      const all = requests(2500);
      await settleAll(store, all);
      const some = { fromMs: NOW + 3 * DAY_MS + 1, toMs: NOW + 8 * DAY_MS };
      const filters: UsageFilter[] = [
        EVER,
        some,
        { ...some, accountId: "account-1" },
        { ...EVER, keyId: "key-2-0" },
        { ...some, model: "model-3" },
        { ...EVER, accountId: "account-0", keyId: "key-0-1", model: "model-1" },
        { ...EVER, accountId: "account-9" },
        { fromMs: all[700]!.atMs, toMs: all[700]!.atMs + 1 },
        { fromMs: all[1000]!.atMs, toMs: all[1004]!.atMs + 1 },
        { fromMs: all[998]!.atMs, toMs: all[1999]!.atMs },
      ];
      for (const filter of filters) {
        for (const by of ["day", "model", "key", "account"] as const) {
          expect([filter, by, await store.usage(filter, by)]).toEqual([filter, by, addUp(all, filter, by)]);
        }
      }
      const asked = await Promise.all([store.usage(EVER, "day"), store.usage(some, "key")]);
      expect(asked).toEqual([addUp(all, EVER, "day"), addUp(all, some, "key")]);
    });

    test("counts what was charged at once, and neither what is held, nor what was released, nor credit", async () => {
      await store.addCredit(grant(5n));
      for (const id of ["open", "released", "settled"]) await store.hold(hold(id, 10n));
      store.release("released", "caller left", NOW);
      const settled = store.settle("settled", settlement(7n));
      const expected = [{ name: "m", requests: 1, promptTokens: 11, cachedTokens: 3, completionTokens: 22, costNanos: 7n }];
      expect(await store.usage(EVER, "model")).toEqual(expected);
      await settled;
      expect(await (await fixture.reopen()).usage(EVER, "model")).toEqual(expected);
    });
  });
}
