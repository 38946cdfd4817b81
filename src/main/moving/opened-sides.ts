import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { StorageConfig } from "../../config.ts";
import { redactSecrets } from "../../http/redact-secrets.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { findDefaultPrices } from "../../models/prices/find-default-prices.ts";
import { Closing } from "../../stores/closing.ts";
import { PostgresLedgerRecordStore } from "../../stores/ledger/postgres-records/postgres-ledger-record-store.ts";
import { openStores } from "../../stores/open-stores.ts";
import type { Stores } from "../../stores/stores.ts";
import { openPostgres, type OpenPostgres } from "../../stores/postgres/open-postgres.ts";
import type { PostgresConnection, PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { summarizeLedger, type LedgerSummary } from "./ledger-summary.ts";
import { MoveRefused } from "./move-refused.ts";

/** A statement of a move writes or reads some hundred rows, on a server that does nothing else. */
const STATEMENT_TIMEOUT_MS = 60_000;

const nothing = (): void => undefined;
const resolved = async (): Promise<void> => undefined;

export function openForMove(url: Secret): Promise<OpenPostgres> {
  return openPostgres({
    url,
    maxConnections: 4,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    monotonicMs: () => performance.now(),
    report: () => undefined,
  });
}

/** Runs queries that all see the same snapshot of the database. */
export function inSnapshot<Result>(pool: PostgresPool, work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
  return pool.transaction(async (connection) => {
    await connection.query("set transaction isolation level repeatable read, read only");
    return work(connection);
  });
}

/** Audits the ledger in a database that no process uses. */
export async function summarizeDatabase(where: string, { pool, database }: OpenPostgres, nowMs: number): Promise<LedgerSummary> {
  const ledger = await PostgresLedgerRecordStore.open({ pool, database, catchUp: resolved, recallAll: resolved });
  try {
    const keys = await pool.query<{ id: string }>("select id from keys");
    return await summarizeLedger(
      where,
      ledger,
      keys.map(({ id }) => id),
      nowMs,
    );
  } finally {
    ledger.close();
  }
}

/**
 * Opens the stores of a data folder like a start does, which applies journals and closes open requests. Then closes the stores. Throws
 * `MoveRefused` if something could not be written.
 */
export async function useFolder<Result>(config: StorageConfig, use: (stores: Stores) => Promise<Result>): Promise<Result> {
  const stores = await openStores({
    ...config,
    defaultPrices: findDefaultPrices,
    nowMs: Date.now,
    reportLedger: nothing,
    requestLog: { ...config.requestLog, redactSecrets, redact: undefined, reportHook: nothing, report: nothing, reportDamaged: nothing },
  });
  const closing = new Closing();
  try {
    return await use(stores);
  } finally {
    await stores.close(undefined, closing);
    const [failure] = closing.failures;
    // oxlint-disable-next-line no-unsafe-finally -- it is the cause of whatever else failed
    if (failure) throw new MoveRefused(`the ${failure.step} of ${config.dataFolder} could not be closed: ${failure.reason}`);
  }
}

/** The background exports of a closed folder that can be downloaded: only these have a file. */
export function exportsIn(dataFolder: string): string[] {
  const folder = join(dataFolder, "exports");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => /^(.+)\.(?:csv|jsonl)$/.exec(name)?.[1] ?? []).toSorted();
}

/** The background exports of a database that can be downloaded. */
export async function exportsOf(pool: PostgresPool, nowMs: number): Promise<string[]> {
  const rows = await pool.query<{ id: string }>("select id from exports where state = 'done' and expires_at_ms > $1 order by id", [nowMs]);
  return rows.map(({ id }) => id);
}

export function requestLogIn(dataFolder: string): string {
  return join(dataFolder, "requests");
}

/** The file with the secret that encrypts credentials. */
export function vaultSecretIn(dataFolder: string): string {
  return join(dataFolder, "secret");
}
