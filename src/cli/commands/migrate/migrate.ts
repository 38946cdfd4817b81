import { resolve } from "node:path";
import { loadStorageConfig, SETTINGS, type StorageConfig } from "../../../config.ts";
import { ConfigError } from "../../../config/config-error.ts";
import type { DatabaseSettings } from "../../../config/database-settings.ts";
import type { MoveReport } from "../../../main/moving/move-report.ts";
import { UsageError, type Command } from "../../command.ts";
import { explainStorage } from "../../explain-storage.ts";
import { asJson, printable, terminalWidth, writeStdout } from "../../output.ts";
import { describeMove, moveAsJson } from "./format-move.ts";

const TO_DATABASE = "to-database";
const TO_FOLDER = "to-folder";
const WITHOUT_LOG = "without-request-log";

export const migrateData: Command = {
  summary: "Move all data from a data folder to PostgreSQL, or back.",
  details: `--to-database moves the folder ${SETTINGS.data} of a stopped gateway into the empty database ${SETTINGS.databaseUrl}. --to-folder moves the data of
that database, all of whose processes are stopped, into a new folder. Both sides are compared: every row, the balance and spending of every account
and key, and the ledger by the auditor. If anything differs, the move is aborted. The side that was left does not start any more by accident.`,
  examples: ["migrate --to-database", "migrate --to-folder /srv/tollgate/data"],
  operands: [],
  options: {
    [TO_DATABASE]: { meaning: `move the data folder into the database of ${SETTINGS.databaseUrl}` },
    [TO_FOLDER]: { meaning: "move the database into this new data folder", value: "FOLDER" },
    [WITHOUT_LOG]: { meaning: "leave the request log behind" },
  },
  async run({ json, options }) {
    const isToDatabase = options[TO_DATABASE] !== undefined;
    const folder = options[TO_FOLDER];
    if (isToDatabase === (folder !== undefined)) throw new UsageError(`give one of --${TO_DATABASE} and --${TO_FOLDER} FOLDER`);
    const config = loadStorageConfig();
    const { database } = config;
    if (!database) throw new ConfigError(`${SETTINGS.databaseUrl} is not set`);
    const report = await explainStorage("move_refused", () => move(config, database, folder, options[WITHOUT_LOG] === undefined));
    if (json) await writeStdout(asJson(moveAsJson(report)));
    else await writeStdout(printable(describeMove(report, config, isToDatabase, terminalWidth())));
  },
};

/** Loaded lazily: the other commands are clients and need no stores in memory. */
async function move(
  config: StorageConfig,
  database: DatabaseSettings,
  folder: string | undefined,
  hasRequestLog: boolean,
): Promise<MoveReport> {
  const nowMs = Date.now();
  if (folder === undefined) {
    const { moveToDatabase } = await import("../../../main/moving/move-to-database.ts");
    return moveToDatabase(config, database, hasRequestLog, nowMs);
  }
  const { moveToFolder } = await import("../../../main/moving/move-to-folder.ts");
  return moveToFolder(config, database, { folder: resolve(folder), hasRequestLog, nowMs });
}
