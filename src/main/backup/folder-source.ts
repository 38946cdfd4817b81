import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { nameOfDay } from "../../stores/backup/backup-names.ts";
import { refuseOtherSchema } from "../../stores/backup/backup-schema.ts";
import type { BackupWriter } from "../../stores/backup/backup-writer.ts";
import { copyFolder, copySqlite } from "../../stores/backup/copy-folder.ts";
import { settleCopy } from "../../stores/backup/settle-copy.ts";
import { examineFolder, refuseOldFolder } from "../../stores/examine-folder.ts";
import { FolderInUse, lockFolder } from "../../stores/folder-lock.ts";
import { FolderDamaged } from "../../stores/integrity/folder-damaged.ts";
import { filesIn, sizeOf } from "../../stores/integrity/folder-files.ts";
import { isCorruption } from "../../stores/integrity/read-database.ts";
import { refuseMovedFolder } from "../../stores/moved-folder.ts";
import { LogFolder } from "../../stores/request-log/sqlite/log-folder.ts";
import { openSqliteReader } from "../../stores/sqlite/sqlite-database.ts";
import { requestLogIn } from "../moving/opened-sides.ts";
import type { BackupOptions } from "./backup-options.ts";
import { refuseFullDisk } from "./free-space.ts";
import { secretsOfFolder } from "./backup-secrets.ts";
import type { BackupSource, CopiedDays, SecretFile } from "./backup-source.ts";

/** A data folder that a gateway may be using. */
export class FolderSource implements BackupSource {
  readonly name: string;
  readonly unshipped = [];
  readonly #config: StorageConfig;
  readonly #options: BackupOptions;

  constructor(config: StorageConfig, options: BackupOptions) {
    this.name = config.dataFolder;
    this.#config = config;
    this.#options = options;
  }

  /** Throws `BackupRefused`, `CannotMigrate`, `FolderDamaged`, `DataMoved` and `ConfigError`. */
  async prepare(): Promise<readonly SecretFile[]> {
    const { dataFolder } = this.#config;
    if (sizeOf(filesIn(dataFolder).database) === 0) throw new BackupRefused(`there is no data in ${dataFolder}: set ${SETTINGS.data}`);
    refuseOldFolder(dataFolder);
    refuseMovedFolder(dataFolder);
    if (!isInUse(dataFolder)) refuseDamaged(dataFolder);
    const file = openSqliteReader(filesIn(dataFolder).database);
    try {
      refuseOtherSchema(dataFolder, file);
      return secretsOfFolder(this.#config, file, this.#options);
    } finally {
      file.close();
    }
  }

  async copyInto(staging: string): Promise<void> {
    refuseFullDisk(staging, this.#bytes());
    copyFolder(this.name, staging);
    await settleCopy(staging, this.#options.nowMs);
  }

  async addRequestLog(writer: BackupWriter, staging: string): Promise<CopiedDays> {
    const log = this.#log;
    const damaged: string[] = [];
    const copied: string[] = [];
    for (const day of log.days()) {
      const copy = join(staging, "day.db");
      try {
        copySqlite(log.fileOf(day), copy);
        writer.addFile(nameOfDay(day), copy);
        copied.push(day);
      } catch (error) {
        // The file may be missing because the gateway deletes old days.
        if (!isCorruption(error) && existsSync(log.fileOf(day))) throw error;
        if (isCorruption(error)) damaged.push(day);
      } finally {
        rmSync(copy, { force: true });
      }
    }
    return { copied, damaged };
  }

  get #log(): LogFolder {
    return new LogFolder(requestLogIn(this.#config.dataFolder));
  }

  /** The maximum size of the backup, plus the temporary copy of one day. */
  #bytes(): number {
    const { database, wal } = filesIn(this.#config.dataFolder);
    const days = this.#options.hasRequestLog ? [...this.#log.sizes().values()] : [];
    return sizeOf(database) + sizeOf(wal) + days.reduce((sum, bytes) => sum + bytes, 0) + Math.max(0, ...days);
  }
}

function isInUse(dataFolder: string): boolean {
  try {
    lockFolder(dataFolder).release();
    return false;
  } catch (error) {
    if (error instanceof FolderInUse) return true;
    throw error;
  }
}

/** Damage can be detected only in the files of a stopped gateway: if a gateway has been started meanwhile, its files look damaged. */
function refuseDamaged(dataFolder: string): void {
  const damage = examineFolder(dataFolder);
  if (damage.findings.length > 0 && !isInUse(dataFolder)) throw new FolderDamaged(dataFolder, damage);
}
