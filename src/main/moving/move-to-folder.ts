import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { reportInstances } from "../../stores/ledger/postgres/instance-rows.ts";
import { copyLogToFolder } from "../../stores/moving/request-log-days.ts";
import { confirmSecrets } from "../../stores/postgres/confirm-secrets.ts";
import { describeMove, readMoveState, writeMoveState } from "../../stores/postgres/move-state.ts";
import type { OpenPostgres } from "../../stores/postgres/open-postgres.ts";
import type { PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { copyIntoFolder } from "./copy-into-folder.ts";
import { noteHashSecret } from "../load-hash-secret.ts";
import { refuseOtherSums, summarizeLedger } from "./ledger-summary.ts";
import { MoveRefused } from "./move-refused.ts";
import { addressOf, reportMove, type MoveReport } from "./move-report.ts";
import { exportsOf, openForMove, requestLogIn, summarizeDatabase, useFolder } from "./opened-sides.ts";

/** The suffix of a folder that is incomplete. It is removed when the folder is complete. */
const INCOMPLETE = ".incomplete";

interface Target {
  readonly from: string;
  /** An absolute path. */
  readonly folder: string;
  readonly hasRequestLog: boolean;
  readonly nowMs: number;
}

/**
 * Moves the data of a PostgreSQL database that no process uses into a new data folder, and marks the database as moved. If anything fails
 * or differs, there is no folder, and the database can be used as before. Throws `MoveRefused`, `ConfigError`, `OtherSecret` and
 * `StorageUnavailable`.
 */
export async function moveToFolder(config: StorageConfig, { url }: DatabaseSettings, options: Omit<Target, "from">): Promise<MoveReport> {
  const target = { ...options, from: addressOf(url) };
  const { secret, hashSecret } = config;
  if (!secret || !hashSecret)
    throw new ConfigError(`${SETTINGS.secret} and ${SETTINGS.hashSecret} must be set to the secrets of the database`);
  refuseUsedFolder(target.folder);
  const postgres = await openForMove(url);
  const { pool } = postgres;
  try {
    const state = await readMoveState(pool);
    if (state && state.kind !== "leaving") throw new MoveRefused(describeMove(state));
    const building = `${target.folder}${INCOMPLETE}`;
    // After an interrupted move, the folder was created by that move.
    if (!state && existsSync(building)) throw new MoveRefused(`${building} exists, where the folder would be built: remove it first`);
    await confirmSecrets(pool, [
      { name: SETTINGS.secret, secret, previous: config.oldSecret },
      { name: SETTINGS.hashSecret, secret: hashSecret },
    ]);
    // The database is marked first: a process that starts from now on is refused.
    await writeMoveState(pool, { kind: "leaving", folder: target.folder });
    try {
      return await move(config, postgres, target);
    } catch (error) {
      rmSync(`${target.folder}${INCOMPLETE}`, { recursive: true, force: true });
      await writeMoveState(pool, undefined);
      throw error;
    }
  } finally {
    postgres.feed.stop();
    await postgres.database.destroy();
  }
}

async function move(config: StorageConfig, postgres: OpenPostgres, { from, folder, hasRequestLog, nowMs }: Target): Promise<MoveReport> {
  const { pool } = postgres;
  await refuseInstances(pool);
  const summary = await summarizeDatabase(from, postgres, nowMs);
  const building = `${folder}${INCOMPLETE}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true, mode: 0o700 });
  const { copied } = await copyIntoFolder(building, pool, async () => undefined);
  const requestLog = hasRequestLog ? await copyLogToFolder(pool, requestLogIn(building)) : undefined;
  noteHashSecret(building, config.hashSecret!);
  const copy = await useFolder({ ...config, dataFolder: building }, ({ ledgerRecords, keys }) =>
    summarizeLedger(building, ledgerRecords, keys.ids(), nowMs),
  );
  refuseOtherSums(summary, copy);
  const exportsLeft = await exportsOf(pool, nowMs);
  // A process that started before the mark may have joined since the first check.
  await refuseInstances(pool);
  refuseOtherSums(await summarizeDatabase(from, postgres, nowMs), copy);
  renameSync(building, folder);
  await writeMoveState(pool, { kind: "left", folder });
  return reportMove(from, folder, copied, summary, { requestLog, exportsLeft });
}

/** Processes that have not ended may have charges in their journals, and their leases are not in the ledger. */
async function refuseInstances(pool: PostgresPool): Promise<void> {
  const open = (await reportInstances(pool)).filter(
    ({ state, openHolds, leases }) => state !== "written_off" || openHolds + leases.length > 0,
  );
  if (open.length === 0) return;
  const which = open.map(({ id, state }) => `${id} (${state})`).join(", ");
  throw new MoveRefused(
    `processes have not ended in the ledger: ${which}. Stop live processes. Start a lost process again on its machine, so that its journal is applied, or write it off`,
  );
}

function refuseUsedFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new MoveRefused(`the folder ${folder} is not empty: name a new one`);
}
