import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { costOf, makePrice, percentOf } from "../../src/money/price.ts";
import type { Purse } from "../../src/money/purse.ts";
import { audit, type AuditReport } from "../../src/platform/audit/auditor.ts";
import { PostgresLedgerRecordStore } from "../../src/stores/ledger/postgres-records/postgres-ledger-record-store.ts";
import { LedgerRequestHistory } from "../../src/stores/ledger/records/request-history.ts";
import { PostgresRows } from "../../src/stores/ledger/records/postgres-rows.ts";
import { UsageRollups } from "../../src/stores/ledger/usage/postgres-rollup-updater.ts";
import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { eventually } from "../support/eventually.ts";
import { grant, hold, NOW, settlement, USAGE } from "../support/money/ledger-samples.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { ACCOUNT, LedgerProcesses, type LedgerProcess } from "../support/postgres/ledger-processes.ts";
import { openRecords, recordPrices } from "../support/postgres/open-records.ts";
import { postgresFixture } from "../support/postgres/postgres-fixture.ts";

const PRICE = makePrice({
  effectiveAtMs: 0,
  source: "operator",
  rates: {
    inputPicos: 3_000_000n,
    cachedInputPicos: 1_000_001n,
    cacheWritePicos: 4_000_000n,
    outputPicos: 9_000_000n,
    reasoningPicos: 9_000_000n,
  },
  tiers: [],
});
const COST = costOf(USAGE, PRICE);

/** Sends requests to a gateway process: one is charged, one is released, and one stays open. */
async function serve({ store }: LedgerProcess, name: string): Promise<void> {
  for (const at of [1, 2, 3]) {
    if (store.availableOf(ACCOUNT) < 2n * COST) await store.widen([ACCOUNT], 2n * COST);
    await store.hold(hold(`${name}${at}`, 2n * COST, { priceVersion: PRICE.version }));
  }
  await store.settle(`${name}1`, settlement(COST));
  store.release(`${name}2`, "upstream_error", NOW);
}

describe.skipIf(!hasPostgres)("the auditor, over a ledger in PostgreSQL", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  let records: PostgresLedgerRecordStore;

  const auditNow = (): Promise<AuditReport> => audit({ ledger: records, keyIds: ["key-1", "key-2"], nowMs: NOW });

  /** A ledger with every kind of entry, from two processes. */
  beforeEach(async () => {
    const database = await postgres.open();
    ({ pool } = database);
    const { store, records: opened } = await openRecords(database, { maxLag: 2, entriesAtOnce: 3 });
    records = opened;
    const cost = percentOf(PRICE, 50);
    await recordPrices(database, [PRICE, cost]);
    const priced = { priceVersion: PRICE.version };
    await records.addCredit(grant(1000n * COST));
    await records.addCredit(grant(-5n, { kind: "adjustment", reference: "mistake" }));
    for (const id of ["r1", "r2", "r3"]) await store.hold(hold(id, 2n * COST, priced));
    await store.hold(hold("r4", COST, { ...priced, accountId: "other", keyId: "key-2" }));
    await store.settle("r1", settlement(COST, { costVersion: cost.version }));
    store.release("r2", "upstream_error", NOW);
    await store.settle("r4", settlement(COST));
    await store.flush();
  });
  afterEach(() => records.close());

  test("finds nothing in what was written", async () => {
    expect(await auditNow()).toEqual({
      checked: { entries: 9, accounts: 2, requests: 4 },
      as_of_entry: 9,
      discrepancy_count: 0,
      discrepancies: [],
    });
  });

  test.each([
    ["a charge", "update entries set amount_nanos = amount_nanos + 1 where kind = 'settle' and account_id = 'acme'", "entry 7"],
    ["a purse", "update purses set credit_nanos = credit_nanos + 1 where scope = 'account' and id = 'acme'", "credit equals the sum"],
    ["the spending of a key", "update purses set total_nanos = 0 where scope = 'key' and id = 'key-1'", "spent equals the sum"],
    ["an open hold", "delete from open_holds", "held equals the sum"],
    ["a missing entry", "delete from entries where id = 4", "ids increase by one"],
    ["a missing last entry", "delete from entries where id = 9", "the last entry exists"],
    ["an entry without its fields", "update entries set uncharged_nanos = null where id = 7", "an entry can be read"],
    ["a price", `update prices set rates = replace(rates, '"3000000"', '"3000001"')`, "price"],
  ])("finds what another program has changed: %s", async (_, sql, found) => {
    await pool.query(sql);
    const { discrepancies } = await auditNow();
    expect(discrepancies.map(({ where, what }) => `${where}: ${what}`).join("\n")).toContain(found);
  });

  test("finds nothing in what gateway processes have shipped, and the records agree with it", async () => {
    const processes = await LedgerProcesses.create(postgres);
    const shared = processes.pool;
    await recordPrices({ pool: shared }, [PRICE]);
    const { database } = await postgres.open();
    const recallAll = (purses: readonly Purse[]): Promise<void> => processes.authority.recallAll(purses);
    const ledger = await PostgresLedgerRecordStore.open({ pool: shared, database, catchUp: async () => undefined, recallAll });
    await ledger.addCredit(grant(1000n * COST));
    await serve(await processes.open("one"), "a");
    await serve(await processes.open("other"), "b");
    await ledger.addCredit(grant(-900n * COST, { kind: "adjustment", reference: "less" }));
    await eventually(
      () => ledger.entriesAfter(0, 99),
      ({ length }) => length === 12,
    );
    const rollups = new UsageRollups(shared, { maxLag: 3, entriesAtOnce: 4 });
    while (await rollups.roll()) continue;
    await ledger.refresh();
    expect(ledger.balanceOf("acme")).toEqual({ creditNanos: 98n * COST, heldNanos: 4n * COST });
    expect(ledger.spendingOf("key", "key-1", NOW)).toMatchObject({ dayNanos: 2n * COST, monthNanos: 2n * COST, totalNanos: 2n * COST });
    expect((await ledger.usage({ bounds: [0, NOW + 1], by: [] })).total).toMatchObject({ requests: 2, failed: 2, costNanos: 2n * COST });
    expect(await ledger.findRequest("a3")).toMatchObject({ hold: { requestId: "a3" }, closing: undefined });
    const requests: boolean[] = [];
    const history = new LedgerRequestHistory(new PostgresRows(shared), async () => undefined);
    await history.each({ sinceMs: 0, accountId: "acme" }, (some) => requests.push(...some.map(({ end }) => end === undefined)));
    expect([requests.length, requests.filter((isOpen) => isOpen).length]).toEqual([6, 2]);
    expect(await audit({ ledger, keyIds: ["key-1"], nowMs: NOW })).toMatchObject({
      checked: { entries: 12, accounts: 1, requests: 6 },
      discrepancies: [],
    });
    ledger.close();
    await processes.close();
  });
});
