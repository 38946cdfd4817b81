import { Database as SqliteFile } from "bun:sqlite";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { CannotMigrate } from "../../stores/cannot-migrate.ts";
import { lockFolder, refuseSharedDatabase } from "../../stores/folder-lock.ts";
import { filesIn, sizeOf } from "../../stores/integrity/folder-files.ts";
import { copyToPostgres, verifyPostgres } from "../../stores/moving/copy-tables.ts";
import { findRows } from "../../stores/moving/empty-database.ts";
import { copyLogToPostgres } from "../../stores/moving/request-log-days.ts";
import { markFolderMoved } from "../../stores/moved-folder.ts";
import { confirmSecrets } from "../../stores/postgres/confirm-secrets.ts";
import { describeMove, readMoveState, writeMoveState } from "../../stores/postgres/move-state.ts";
import type { OpenPostgres } from "../../stores/postgres/open-postgres.ts";
import { PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { readSecret } from "../../stores/secret-file.ts";
import { loadHashSecret } from "../load-hash-secret.ts";
import { refuseOtherSums, summarizeLedger, type LedgerSummary } from "./ledger-summary.ts";
import { MoveRefused } from "./move-refused.ts";
import { addressOf, reportMove, type MoveReport } from "./move-report.ts";
import { exportsIn, inSnapshot, openForMove, requestLogIn, summarizeDatabase, useFolder, vaultSecretIn } from "./opened-sides.ts";

/** PostgreSQL 15 is the oldest version that is tested. */
export const MIN_SERVER_VERSION = 150_000;
const PROBE_TIMEOUT_MS = 10_000;

/** A data folder that was opened and closed like a gateway does, so that it has no open requests. */
interface ClosedFolder {
  readonly summary: LedgerSummary;
  readonly secret: Secret;
  readonly hashSecret: Secret;
}

/**
 * Moves a data folder into an empty PostgreSQL database, and marks the folder as moved. If anything fails or differs, the folder is
 * unchanged, and the database cannot be used before it is emptied. Throws `MoveRefused`, `FolderInUse`, `StorageUnavailable` and the errors
 * of a start.
 */
export async function moveToDatabase(
  config: StorageConfig,
  { url }: DatabaseSettings,
  hasRequestLog: boolean,
  nowMs: number,
): Promise<MoveReport> {
  const { dataFolder } = config;
  if (sizeOf(filesIn(dataFolder).database) === 0) throw new MoveRefused(`there is no data in ${dataFolder}: set ${SETTINGS.data}`);
  await refuseUsedDatabase(url);
  const folder = await closeFolder(config, nowMs);
  const lock = lockFolder(dataFolder);
  try {
    refuseSharedDatabase(filesIn(dataFolder).database, PROBE_TIMEOUT_MS);
    const postgres = await openForMove(url);
    try {
      return await move(dataFolder, folder, postgres, { to: addressOf(url), hasRequestLog, nowMs });
    } finally {
      postgres.feed.stop();
      await postgres.database.destroy();
    }
  } finally {
    lock.release();
  }
}

async function move(
  dataFolder: string,
  { summary, secret, hashSecret }: ClosedFolder,
  postgres: OpenPostgres,
  { to, hasRequestLog, nowMs }: { readonly to: string; readonly hasRequestLog: boolean; readonly nowMs: number },
): Promise<MoveReport> {
  const { pool } = postgres;
  await writeMoveState(pool, { kind: "arriving" });
  const file = new SqliteFile(filesIn(dataFolder).database, { readonly: true, strict: true });
  try {
    const copied = await copyToPostgres(file, pool);
    const requestLog = hasRequestLog ? await copyLogToPostgres(requestLogIn(dataFolder), pool) : undefined;
    await inSnapshot(pool, (connection) => verifyPostgres(file, connection, copied.digests));
    refuseOtherSums(summary, await summarizeDatabase(to, postgres, nowMs));
    await confirmSecrets(pool, [
      { name: SETTINGS.secret, secret },
      { name: SETTINGS.hashSecret, secret: hashSecret },
    ]);
    // The folder is marked first: if this process ends between the two steps, neither side can be started, and no request is charged twice.
    markFolderMoved(dataFolder, to, nowMs);
    await writeMoveState(pool, undefined);
    return reportMove(dataFolder, to, copied, summary, { requestLog, exportsLeft: exportsIn(dataFolder) });
  } finally {
    file.close();
  }
}

async function closeFolder(config: StorageConfig, nowMs: number): Promise<ClosedFolder> {
  const { dataFolder } = config;
  return useFolder(config, async ({ ledgerRecords, keys }) => {
    const hashSecret = loadHashSecret(dataFolder, config.hashSecret, keys);
    const summary = await summarizeLedger(dataFolder, ledgerRecords, keys.ids(), nowMs);
    return { summary, hashSecret, secret: config.secret ?? readSecret(vaultSecretIn(dataFolder))! };
  });
}

/** Throws `MoveRefused` if the database version is too old, or if the database has rows. Nothing is written. */
async function refuseUsedDatabase(url: Secret): Promise<void> {
  const pool = new PostgresPool({ url, maxConnections: 1, timeoutMs: PROBE_TIMEOUT_MS });
  try {
    const [server] = await pool.query<{ number: string; version: string }>(
      "select current_setting('server_version_num') as number, current_setting('server_version') as version",
    );
    if (Number(server!.number) < MIN_SERVER_VERSION)
      throw new CannotMigrate(`the server is PostgreSQL ${server!.version}: it must be 15 or newer`);
    const table = await findRows(pool);
    if (table === undefined) return;
    const state = table === "shared_settings" || (await hasSettings(pool)) ? await readMoveState(pool) : undefined;
    const why = state ? describeMove(state) : "use a new one, or drop this one and create it again";
    throw new MoveRefused(`the database ${addressOf(url)} is not empty: its table ${table} has rows. Nothing was changed: ${why}`);
  } finally {
    await pool.close();
  }
}

async function hasSettings(pool: PostgresPool): Promise<boolean> {
  const [row] = await pool.query<{ name: string | null }>("select to_regclass('shared_settings')::text as name");
  return row!.name !== null;
}
