import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { LedgerRecordStore } from "../../src/stores/ledger/ledger-record-store.ts";
import { PostgresLedgerRecordStore } from "../../src/stores/ledger/postgres-records/postgres-ledger-record-store.ts";
import { UsageRollups } from "../../src/stores/ledger/usage/postgres-rollup-updater.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { openPostgres } from "../../src/stores/postgres/open-postgres.ts";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { PostgresServer } from "../../test/support/postgres/start-postgres.ts";
import { treeCpuUs } from "../machine/process-tree.ts";
import { ATTRIBUTED, END, fillLedger } from "./fill-ledger.ts";
import { fillPostgres } from "./fill-postgres.ts";

/** The maximum number of entries that a report may add up without rollups. */
const MAX_LAG = 5000;

/** A filled ledger without rollups. */
export interface AttributedLedger {
  readonly ask: LedgerRecordStore["usage"];
  /** Resolves when all requests are in the rollups. */
  addUp(): Promise<void>;
  bytes(): Promise<number>;
  /** The CPU time of this process, and of the server that was started for it, if any. */
  readonly cpuUs: () => number;
  close(): Promise<void>;
}

export async function openEmbedded(requests: number, days: number): Promise<AttributedLedger> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-attribution-"));
  const path = join(folder, "tollgate.db");
  const options = { ...STORE_OPTIONS, dataFolder: folder, nowMs: () => END };
  await (await openStores(options)).close();
  fillLedger(path, requests, ATTRIBUTED, days);
  const stores = await openStores(options);
  return {
    ask: (query) => stores.ledgerRecords.usage(query),
    // Reports are rejected until the aggregation is complete.
    async addUp() {
      while (!(await stores.ledgerRecords.usage({ bounds: [0, END], by: [] }).catch(() => undefined))) await Bun.sleep(100);
    },
    bytes: async () => statSync(path).size,
    cpuUs: ownCpuUs,
    async close() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** `address` is the URL of an empty database, or `postgres` to start a server without any configuration. */
export async function openOnPostgres(requests: number, days: number, address: string): Promise<AttributedLedger> {
  const server = address === "postgres" ? await PostgresServer.start([]) : undefined;
  const url = server ? await server.createDatabase() : new Secret(address);
  const options = { maxConnections: 4, timeoutMs: 3_600_000, monotonicMs: () => performance.now(), report: () => undefined };
  const { pool, database, feed } = await openPostgres({ url, ...options });
  await fillPostgres(pool, requests, days);
  const records = await PostgresLedgerRecordStore.open({ pool, database, catchUp: nothing, recallAll: nothing });
  const rollups = new UsageRollups(pool, {});
  return {
    ask: (query) => records.usage(query),
    async addUp() {
      await pool.query("update ledger_head set last_id = last_id - $1", [MAX_LAG]);
      while (await rollups.roll()) continue;
      await pool.query("update ledger_head set last_id = last_id + $1", [MAX_LAG]);
      await pool.query("vacuum analyze");
    },
    async bytes() {
      const [size] = await pool.query<{ bytes: bigint }>("select pg_database_size(current_database()) as bytes");
      return Number(size!.bytes);
    },
    cpuUs: () => ownCpuUs() + (server ? treeCpuUs(server.pid) : 0),
    async close() {
      records.close();
      feed.stop();
      await database.destroy();
      await server?.stop();
    },
  };
}

async function nothing(): Promise<void> {}

function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
