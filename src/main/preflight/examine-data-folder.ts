import { Database as SqliteFile } from "bun:sqlite";
import { existsSync } from "node:fs";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import { prepareDataFolder } from "../../config/data-folder.ts";
import { examineFolder, refuseOldFolder } from "../../stores/examine-folder.ts";
import { FolderInUse, lockFolder } from "../../stores/folder-lock.ts";
import { describeDamage } from "../../stores/integrity/folder-damaged.ts";
import { filesIn, sizeOf, type FolderFiles } from "../../stores/integrity/folder-files.ts";
import { MIGRATIONS } from "../../stores/migrations/migrate.ts";
import { refuseMovedFolder } from "../../stores/moved-folder.ts";
import { vaultSecretIn } from "../moving/opened-sides.ts";
import { failed, ok, warning, type Check, type PendingMigration, type PreflightReport } from "./check.ts";

/** The process that migrates a data folder is the only process that uses it. */
const OF_FOLDER = { isRolling: false, locks: "the data folder, by the start" };

export async function examineDataFolder(config: StorageConfig): Promise<PreflightReport> {
  const { dataFolder: storage } = config;
  const files = filesIn(storage);
  // If the folder does not exist before an upgrade, it is the wrong folder.
  if (!existsSync(storage)) {
    const missing = warning("data folder", `${storage} does not exist: a start creates it. Set ${SETTINGS.data} if the data is elsewhere`);
    return { storage, migrations: [], checks: [missing] };
  }
  const folder = attempt("data folder", `${storage} can be used`, () => {
    refuseOldFolder(storage);
    prepareDataFolder(storage);
    refuseMovedFolder(storage);
  });
  if (folder.status === "failed") return { storage, migrations: [], checks: [folder] };
  if (sizeOf(files.database) === 0) return { storage, migrations: [], checks: [folder, checkIntegrity(storage)] };
  try {
    const applied = readFrom(files, "select name from kysely_migration order by name");
    const migrations = pendingMigrations(applied);
    const checks = [folder, checkIntegrity(storage), checkMigrations(applied, migrations), checkSecrets(config, files)];
    return { storage, migrations, checks };
  } catch (error) {
    return { storage, migrations: [], checks: [folder, failed("database", (error as Error).message)] };
  }
}

/** Damage can be detected only in the files of a stopped gateway. */
function checkIntegrity(folder: string): Check {
  try {
    lockFolder(folder).release();
  } catch (error) {
    if (!(error instanceof FolderInUse)) return failed("integrity", (error as Error).message);
    return warning("integrity", "not checked: a gateway is using the folder. Stop it before the start");
  }
  const damage = examineFolder(folder);
  return damage.findings.length === 0 ? ok("integrity", "no damage") : failed("integrity", describeDamage(damage));
}

function pendingMigrations(applied: readonly string[]): PendingMigration[] {
  const names = Object.keys(MIGRATIONS).filter((name) => !applied.includes(name));
  return names.map((name) => ({ name, ...OF_FOLDER }));
}

function checkMigrations(applied: readonly string[], pending: readonly PendingMigration[]): Check {
  const name = "migrations";
  const newer = applied.filter((each) => !Object.hasOwn(MIGRATIONS, each));
  if (newer.length > 0) return failed(name, `the folder was used by a newer version, with ${newer.join(", ")}: start that one`);
  if (pending.length === 0) return ok(name, "none is pending");
  return ok(name, `${pending.length} pending, all or none: back up the folder first, because there is no downgrade`);
}

/** Lost secrets are never replaced while something depends on them. */
function checkSecrets({ secret, hashSecret, dataFolder }: StorageConfig, files: FolderFiles): Check {
  const name = "secrets";
  const hasKeys = readFrom(files, "select id as name from keys limit 1").length > 0;
  if (hasKeys && !hashSecret && !existsSync(files.hashSecret)) {
    return failed(name, `${SETTINGS.hashSecret} is not set, and ${files.hashSecret} is missing: no key would be valid`);
  }
  const sealed = `select id as name from upstreams where credential is not null union all select id from webhooks limit 1`;
  if (!secret && !existsSync(vaultSecretIn(dataFolder)) && readFrom(files, sealed).length > 0) {
    return failed(name, `${SETTINGS.secret} is not set, and ${vaultSecretIn(dataFolder)} is missing: credentials cannot be decrypted`);
  }
  return ok(name, "set, or in the folder");
}

/** Reads names from the database file. Tables of later versions may be missing. */
function readFrom({ database }: FolderFiles, query: string): string[] {
  const file = new SqliteFile(database, { readonly: true, strict: true });
  try {
    return file
      .query<{ name: string }, []>(query)
      .all()
      .map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("no such table")) return [];
    throw error;
  } finally {
    file.close();
  }
}

function attempt(name: string, detail: string, work: () => void): Check {
  try {
    work();
    return ok(name, detail);
  } catch (error) {
    return failed(name, (error as Error).message);
  }
}
