import type { BackupStatus } from "../../../../platform-client/types.ts";
import { loadStorageConfig, SETTINGS } from "../../../config.ts";
import { UsageError, type Command } from "../../command.ts";
import { explainStorage } from "../../explain-storage.ts";
import { asJson, printable, writeStdout } from "../../output.ts";
import { platformCommand } from "../../platform-command.ts";
import {
  backupAsJson,
  describeBackup,
  describeLastBackup,
  describeRestored,
  describeVerified,
  restoredAsJson,
  verifiedAsJson,
} from "./format-backup.ts";

const KEEP = "keep";
const WITH_LOG = "with-request-log";
const WITH_CREDENTIALS = "with-credentials";
const WITHOUT_HASH_SECRET = "without-hash-secret";
/** The code of the error for programs. */
const REFUSED = "backup_refused";

export const createBackup: Command = {
  summary: "Back up all data into one file, while the gateway runs.",
  details: `It copies the data folder ${SETTINGS.data}, or the database ${SETTINGS.databaseUrl}, as of one moment, with every charge of a response that was
complete before. Responses in flight are ended in the copy, as after a crash. The file is verified by the auditor before the command reports success.
An existing FILE is not replaced. If FILE is a folder, it gets a file with the date in its name.`,
  examples: [
    "backup /backup/tollgate.backup",
    "backup /backup --keep 14",
    "backup /backup/all.backup --with-request-log --with-credentials",
  ],
  operands: [{ name: "FILE", meaning: "new file, or a folder for a file with the date in its name" }],
  options: {
    [KEEP]: { meaning: "with a folder: keep the newest N of its backups (1 to 10000), and delete the others", value: "N" },
    [WITH_LOG]: { meaning: "include the request log, with logged prompts and responses" },
    [WITH_CREDENTIALS]: { meaning: `include the secret (${SETTINGS.secret}) that decrypts upstream credentials and webhook secrets` },
    [WITHOUT_HASH_SECRET]: { meaning: `leave out the secret (${SETTINGS.hashSecret}) without which no key is valid` },
  },
  async run({ json, operands, options }) {
    const [path] = operands as [string];
    const keep = readKeep(options[KEEP]);
    // Loaded lazily: the other commands are clients and need no stores in memory.
    const main = await import("../../../main/backup/create-backup.ts");
    const made = await explainStorage(REFUSED, () =>
      main.createBackup(
        loadStorageConfig(),
        { path, keep },
        {
          hasHashSecret: options[WITHOUT_HASH_SECRET] === undefined,
          hasCredentials: options[WITH_CREDENTIALS] !== undefined,
          hasRequestLog: options[WITH_LOG] !== undefined,
          nowMs: Date.now(),
        },
      ),
    );
    await writeStdout(json ? asJson(backupAsJson(made)) : printable(describeBackup(made)));
  },
};

export const verifyBackup: Command = {
  summary: "Check every byte of a backup against its checksum, and audit its ledger.",
  details: "Exit code 1 if the file is damaged, incomplete, of a newer version, or if the auditor finds a discrepancy.",
  examples: ["backup verify /backup/tollgate.backup"],
  operands: [{ name: "FILE", meaning: "the backup" }],
  options: {},
  async run({ json, operands }) {
    const [path] = operands as [string];
    const main = await import("../../../main/backup/verify-backup.ts");
    const verified = await explainStorage(REFUSED, () => main.verifyBackup(path, Date.now()));
    await writeStdout(json ? asJson(verifiedAsJson(verified)) : printable(describeVerified(verified)));
  },
};

export const showLastBackup = platformCommand<BackupStatus>({
  summary: "Show when the last backup was made on the gateway's machine.",
  details: "Exit code 1 if none is known. Backups that were made on another machine are not known.",
  examples: ["backup status"],
  call: "GET /api/backups/last",
  print: ({ last }) => (last ? describeLastBackup(last) : ""),
  verdict: ({ last }) => (last ? undefined : "no backup is known on the gateway's machine"),
});

export const restoreBackup: Command = {
  summary: "Restore a backup into an empty data folder, or into an empty database.",
  details: `It restores into the data folder ${SETTINGS.data}; if ${SETTINGS.databaseUrl} is set, into that database, and the data folder must be empty too.
The file is verified first. What was done after the backup is lost: charges, credit, new keys, and the revocation of keys.`,
  examples: ["restore /backup/tollgate.backup"],
  operands: [{ name: "FILE", meaning: "the backup" }],
  options: {},
  async run({ json, operands }) {
    const [path] = operands as [string];
    const config = loadStorageConfig();
    const main = await import("../../../main/backup/restore-backup.ts");
    const restored = await explainStorage(REFUSED, () => main.restoreBackup(config, path, Date.now()));
    await writeStdout(json ? asJson(restoredAsJson(restored)) : printable(describeRestored(restored, config)));
  },
};

function readKeep(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const keep = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (keep >= 1 && keep <= 10_000) return keep;
  throw new UsageError(`--${KEEP} must be between 1 and 10000, not ${given}`);
}
