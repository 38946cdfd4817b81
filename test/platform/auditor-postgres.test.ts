import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { costOf, makePrice, percentOf } from "../../src/money/price.ts";
import { audit, type AuditReport } from "../../src/platform/audit/auditor.ts";
import type { PostgresLedgerRecordStore } from "../../src/stores/ledger/postgres-records/postgres-ledger-record-store.ts";
import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { grant, hold, NOW, settlement, USAGE } from "../support/money/ledger-samples.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
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

describe.skipIf(!hasPostgres)("the auditor, over a ledger in PostgreSQL", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  let records: PostgresLedgerRecordStore;

  const auditNow = (): Promise<AuditReport> => audit({ ledger: records, keyIds: ["key-1", "key-2"], nowMs: NOW });

  /** A ledger with every kind of entry, of two processes. */
  beforeEach(async () => {
    const database = await postgres.open();
    ({ pool } = database);
    const { store, records: opened } = await openRecords(database, { unrolled: 2, entriesAtOnce: 3 });
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
});
