import { describe } from "bun:test";
import { isLong } from "../../../../test/support/long.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { openRecords, recordPrices, type OpenRecords } from "../../../../test/support/postgres/open-records.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { ledgerRecordStoreContract } from "../ledger-record-store.contract.ts";
import type { LedgerFixture } from "../ledger-store.contract.ts";
import { ledgerUsageContract } from "../ledger-usage.contract.ts";
import { providerUseContract } from "../provider-use.contract.ts";
import { requestHistoryStoreContract, type RequestHistoryStoreFixture } from "../request-history-store.contract.ts";
import { PostgresRows } from "../records/postgres-rows.ts";
import { LedgerRequestHistory } from "../records/request-history.ts";
import type { Pace } from "../usage/postgres-rollup-updater.ts";

const SOME_LAG: Partial<Pace> = { maxLag: 700, entriesAtOnce: 1000 };

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  const postgres = postgresFixture();

  async function open(pace: Partial<Pace>): Promise<LedgerFixture> {
    const database = await postgres.open();
    let current = await openRecords(database, pace);
    const reopen = async (): Promise<OpenRecords> => {
      await current.store.flush();
      current.records.close();
      return (current = await openRecords(database, pace));
    };
    return {
      ...current,
      recordPrices: (prices) => recordPrices(database, prices),
      reopen,
      crash: reopen,
      async cleanUp() {
        current.records.close();
        await database.database.destroy();
      },
    };
  }

  async function openHistory(pace: Partial<Pace>): Promise<RequestHistoryStoreFixture> {
    const database = await postgres.open();
    const { store, records, catchUp } = await openRecords(database, pace);
    return {
      ledger: Object.assign(store, { addCredit: records.addCredit.bind(records) }),
      history: new LedgerRequestHistory(new PostgresRows(database.pool), catchUp),
      async cleanUp() {
        records.close();
        await database.database.destroy();
      },
    };
  }

  ledgerRecordStoreContract("PostgresLedgerRecordStore", () => open(SOME_LAG));
  for (const [name, pace] of [
    ["with some entries in the rollups", SOME_LAG] as const,
    ...(isLong ? [["with all entries in the rollups", { maxLag: 0, entriesAtOnce: 300 }] as const] : []),
  ]) {
    ledgerUsageContract(`PostgresLedgerRecordStore, ${name},`, () => open(pace));
    providerUseContract(`PostgresLedgerRecordStore, ${name},`, () => open(pace));
    requestHistoryStoreContract(`PostgresRequestHistoryStore, ${name},`, () => openHistory(pace));
  }
});
