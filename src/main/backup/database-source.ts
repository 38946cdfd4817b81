import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StorageConfig } from "../../config.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { untilShipped } from "../../stores/backup/await-shipments.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { nameOfDay } from "../../stores/backup/backup-names.ts";
import type { BackupWriter } from "../../stores/backup/backup-writer.ts";
import { copyProgress } from "../../stores/backup/copy-progress.ts";
import { settleCopy } from "../../stores/backup/settle-copy.ts";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { readBalancesIn } from "../../stores/ledger/postgres-records/read-balances.ts";
import { POSTGRES_MIGRATIONS, refuseBeforeFirstRelease } from "../../stores/migrations/migrate.ts";
import { copyLogToFolder } from "../../stores/moving/request-log-days.ts";
import { refuseMovedDatabase } from "../../stores/postgres/move-state.ts";
import { PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { openSqliteReader } from "../../stores/sqlite/sqlite-database.ts";
import { copyIntoFolder } from "../moving/copy-into-folder.ts";
import { addressOf } from "../moving/move-report.ts";
import { requestLogIn } from "../moving/opened-sides.ts";
import { auditCopy } from "./audit-copy.ts";
import type { BackupOptions } from "./backup-options.ts";
import { secretsOfDatabase } from "./backup-secrets.ts";
import type { BackupSource, CopiedDays, SecretFile } from "./backup-source.ts";

/** A statement reads some hundred rows, on a server that also serves gateways. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** A PostgreSQL database that processes may be using. Nothing in it is changed. */
export class DatabaseSource implements BackupSource {
  readonly name: string;
  unshipped: readonly string[] = [];
  readonly #pool: PostgresPool;
  readonly #config: StorageConfig;
  readonly #options: BackupOptions;

  constructor(config: StorageConfig, url: Secret, options: BackupOptions) {
    this.name = addressOf(url);
    this.#pool = new PostgresPool({ url, maxConnections: 2, timeoutMs: STATEMENT_TIMEOUT_MS });
    this.#config = config;
    this.#options = options;
  }

  /** Throws `BackupRefused`, `CannotMigrate`, `DataMoved`, `ConfigError`, `OtherSecret` and `StorageUnavailable`. */
  async prepare(): Promise<readonly SecretFile[]> {
    await this.#refuseOtherSchema();
    await refuseMovedDatabase(this.#pool);
    return secretsOfDatabase(this.#config, this.#pool, this.#options);
  }

  async copyInto(staging: string): Promise<void> {
    this.unshipped = await untilShipped(this.#pool);
    const { more: claimed } = await copyIntoFolder(staging, this.#pool, async (connection, file) => {
      await copyProgress(connection, file);
      return readBalancesIn(connection);
    });
    const file = openSqliteReader(filesIn(staging).database);
    try {
      // The sums that the database claims, before the holds in the copy are closed.
      await auditCopy(this.name, file, this.#options.nowMs, claimed);
    } finally {
      file.close();
    }
    await settleCopy(staging, this.#options.nowMs);
  }

  async addRequestLog(writer: BackupWriter, staging: string): Promise<CopiedDays> {
    const folder = requestLogIn(staging);
    const { damaged } = await copyLogToFolder(this.#pool, folder);
    const days = readdirSync(folder).map((name) => name.replace(/\.db$/, ""));
    for (const day of days.toSorted()) {
      const path = join(folder, `${day}.db`);
      writer.addFile(nameOfDay(day), path);
      rmSync(path);
    }
    return { copied: days, damaged };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Only reads: a backup does not migrate anything. */
  async #refuseOtherSchema(): Promise<void> {
    const [table] = await this.#pool.query<{ name: string | null }>("select to_regclass('kysely_migration')::text as name");
    const rows = table!.name === null ? [] : await this.#pool.query<{ name: string }>("select name from kysely_migration");
    if (rows.length === 0) throw new BackupRefused(`there is no data in ${this.name}: no gateway has used it`);
    const applied = rows.map(({ name }) => name);
    refuseBeforeFirstRelease(applied, this.name);
    const unknown = applied.filter((name) => !Object.hasOwn(POSTGRES_MIGRATIONS, name));
    const pending = Object.keys(POSTGRES_MIGRATIONS).filter((name) => !applied.includes(name));
    if (unknown.length + pending.length === 0) return;
    const whose =
      unknown.length > 0
        ? `used by a newer Tollgate, with ${unknown.join(", ")}`
        : `used by an earlier Tollgate, without ${pending.join(", ")}`;
    throw new BackupRefused(`${this.name} is ${whose}: back it up with that version`);
  }
}
