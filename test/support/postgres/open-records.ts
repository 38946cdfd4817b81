import type { Price } from "../../../src/money/price.ts";
import {
  PostgresLedgerRecordStore,
  type PostgresRecordOptions,
} from "../../../src/stores/ledger/postgres-records/postgres-ledger-record-store.ts";
import { UsageRollups, type Pace } from "../../../src/stores/ledger/usage/postgres-rollup-updater.ts";
import type { OpenPostgres } from "../../../src/stores/postgres/open-postgres.ts";
import { NOW } from "../money/ledger-samples.ts";
import { PostgresTestLedger } from "../money/postgres-ledger.ts";

/** A process with the ledger's records in PostgreSQL, and the requests whose entries it has. */
export interface OpenRecords {
  readonly store: PostgresTestLedger;
  readonly records: PostgresLedgerRecordStore;
  readonly catchUp: () => Promise<void>;
}

/** Reads of the records first write the entries that the ledger has queued, and add them to the rollups at this pace. */
export async function openRecords(
  { pool, database }: Pick<OpenPostgres, "pool" | "database">,
  pace: Partial<Pace>,
  hooks: Partial<PostgresRecordOptions> = {},
): Promise<OpenRecords> {
  const store = await PostgresTestLedger.open(pool, NOW);
  const rollups = new UsageRollups(pool, pace);
  const catchUp = async (): Promise<void> => {
    await store.flush();
    while (await rollups.roll()) continue;
  };
  const options = {
    pool,
    database,
    catchUp,
    recallAll: async () => undefined,
    namesPerDay: pace.namesPerDay,
    overflows: () => rollups.overflows,
  };
  const records = await PostgresLedgerRecordStore.open({ ...options, ...hooks });
  return { store, records, catchUp };
}

/** Records versions of prices. Known ones are ignored. */
export async function recordPrices({ pool }: Pick<OpenPostgres, "pool">, prices: readonly Price[]): Promise<void> {
  for (const { version, effectiveAtMs, source, rates, tiers } of prices) {
    await pool.query(
      "insert into prices (version, effective_at_ms, source, rates, tiers) values ($1, $2, $3, $4, $5) on conflict do nothing",
      [version, effectiveAtMs, source, write(rates), write(tiers)],
    );
  }
}

function write(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}
