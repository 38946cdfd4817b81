import type { Database as SqliteFile } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync } from "node:fs";
import { join, dirname } from "node:path";
import type { AccessTokenStore } from "./access-tokens/access-token-store.ts";
import { SqlAccessTokenStore } from "./access-tokens/sql-access-token-store.ts";
import { openAccounts } from "./accounts/open-accounts.ts";
import { SqlAlertStore } from "./alerts/sql-alert-store.ts";
import { SqlHourlySpendStore } from "./alerts/sql-hourly-spend-store.ts";
import { SqlRaisedAlertStore } from "./alerts/sql-raised-alert-store.ts";
import { SqlWebhookStore } from "./alerts/sql-webhook-store.ts";
import { SqlAuditLogStore } from "./audit-log/sql-audit-log-store.ts";
import { SqlCatalogStore } from "./catalog/sql-catalog-store.ts";
import { MemoryClaimStore } from "./claims/memory-claim-store.ts";
import { Closing, type ClosingStep } from "./closing.ts";
import type { Database } from "./database.ts";
import { BRIEF_BUSY_TIMEOUT_MS, SqliteDatabase, openSqlite, openSqliteReader, openSqliteWriter } from "./sqlite/sqlite-database.ts";
import { capsIn } from "./replication/caps-changes.ts";
import { examineFolder, refuseOldFolder } from "./examine-folder.ts";
import { FolderExportStore } from "./exports/folder-export-store.ts";
import { lockFolder, PROBE_WAIT_MS, refuseSharedDatabase } from "./folder-lock.ts";
import { FolderDamaged, processJournalDamaged, toFolderDamaged } from "./integrity/folder-damaged.ts";
import { filesIn, sizeOf, type FolderFiles } from "./integrity/folder-files.ts";
import { refuseInterruptedRestore } from "./interrupted-restore.ts";
import { SqlKeyStore } from "./keys/sql-key-store.ts";
import { refuseMovedFolder } from "./moved-folder.ts";
import { Checkpoint } from "./ledger/commit/checkpoint.ts";
import type { EmbeddedLedgerStore } from "./ledger/embedded-ledger-store.ts";
import { Journal } from "./ledger/journal/journal.ts";
import { createJournal } from "./ledger/journal/create-journal.ts";
import { readJournal } from "./ledger/journal/read-journal.ts";
import { LedgerRequestHistory } from "./ledger/records/request-history.ts";
import { SqliteRows } from "./ledger/records/sqlite-rows.ts";
import { lastChangeId } from "./ledger/journal/recover-journal.ts";
import { openLedger } from "./ledger/processes/open-ledger.ts";
import { findRunningProcesses } from "./ledger/processes/process-folder.ts";
import { CannotRecoverProcess } from "./ledger/processes/process-recovery.ts";
import { WriteProbe } from "./ledger/commit/write-probe.ts";
import { MemoryLimitStore } from "./limits/memory-limit-store.ts";
import { loadOrCreateSecret } from "./secret-file.ts";
import { Vault } from "./vault.ts";
import { migrate } from "./migrations/migrate.ts";
import { SqlPersonStore } from "./people/sql-person-store.ts";
import { EmbeddedRequestLogStore } from "./request-log/embedded-request-log-store.ts";
import { MemoryResponseStore } from "./responses/memory-response-store.ts";
import { SqlSavedViewStore } from "./saved-views/sql-saved-view-store.ts";
import { SqlSessionStore } from "./sessions/sql-session-store.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import { SqlLastUsedStore } from "./last-used/sql-last-used-store.ts";
import type { StoreOptions, Stores } from "./stores.ts";

/** Longer than a short lock of another process, such as a backup. */
const LEDGER_LIMIT_MS = 5000;
/** Longer than the 4 s that the request log waits for the redaction hook. */
const REQUEST_LOG_LIMIT_MS = 5000;
/** How long a start waits for another process that has the database open, such as a backup. */
const IN_USE_TIMEOUT_MS = 5000;

const monotonicMs = (): number => performance.now();

/**
 * Opens the stores in the data folder: locks it, checks its integrity, migrates the database and recovers from a crash. Missing files are
 * created. Throws `FolderInUse` or `DatabaseInUse` if another process uses the folder, `FolderDamaged` if records would be lost,
 * `DataMoved` for a folder that was moved to PostgreSQL or is incomplete, `CannotMigrate` for a folder of a newer version or from before
 * the first release, and `ProcessesRunning` if other gateway processes are running and this process is to serve alone.
 */
export async function openStores(options: StoreOptions): Promise<Stores> {
  const { dataFolder } = options;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  refuseOldFolder(dataFolder);
  const lock = lockFolder(dataFolder, PROBE_WAIT_MS);
  try {
    refuseMovedFolder(dataFolder);
    refuseInterruptedRestore(dataFolder);
    const running = options.isShared ? [] : findRunningProcesses(dataFolder);
    if (running.length > 0) await options.endProcesses?.(running);
    refuseDamaged(dataFolder);
    refuseSharedDatabase(filesIn(dataFolder).database, IN_USE_TIMEOUT_MS);
    return await openInFolder(options, lock);
  } catch (error) {
    lock.release();
    if (error instanceof CannotRecoverProcess) throw processJournalDamaged(dataFolder, error.instanceId, error.damage);
    throw toFolderDamaged(dataFolder, filesIn(dataFolder).database, error);
  }
}

async function openInFolder(options: StoreOptions, lock: { release(): void }): Promise<Stores> {
  const { dataFolder, durability, nowMs, reportLedger } = options;
  const { database: path, journal: journalPath } = filesIn(dataFolder);
  const requestLogFolder = join(dataFolder, "requests");
  prepareFiles(filesIn(dataFolder), requestLogFolder);
  const isFirstStart = sizeOf(path) === 0;
  const database = await openMigrated(path, options);
  const accounts = await openAccounts(database, nowMs());
  const vault = new Vault(options.secret ?? loadOrCreateSecret(join(dataFolder, "secret")), options.oldSecret);
  const journal = new Journal(journalPath, durability);
  const checkpoint = new Checkpoint(path);
  const keys = await SqlKeyStore.open(database);
  const capsOf = capsIn({ keys, accounts });
  const ledgerOptions = { ...options, capsOf, journal, checkpoint, report: reportLedger };
  const { ledger, shared } = await openLedger(openSqliteWriter(path, durability), ledgerOptions);
  database.onCommit((file) => journal.markChange(lastChangeId(file)));
  const sessions = await SqlSessionStore.open(database);
  const accessTokens = await SqlAccessTokenStore.open(database);
  // Last-used times and alerts are written while requests are served: this connection waits neither for the disk nor for a lock.
  const backgroundFile = openSqliteWriter(path, "process");
  const backgroundDatabase = new SqliteDatabase(backgroundFile);
  const probe = new WriteProbe(backgroundFile, monotonicMs);
  const lastUsed = new SqlLastUsedStore(backgroundDatabase);
  const catalog = await SqlCatalogStore.open({ database, vault, defaultPrices: options.defaultPrices });
  const historyFile = openSqliteReader(path);
  const log = openRequestLog(options, requestLogFolder);
  if (isFirstStart) await database.checkpoint();
  database.setBusyTimeout(BRIEF_BUSY_TIMEOUT_MS);
  return {
    keys,
    accounts,
    people: await SqlPersonStore.open(database),
    sessions,
    accessTokens,
    auditLog: new SqlAuditLogStore(database),
    ledger,
    ledgerRecords: ledger,
    sharedLedger: shared,
    folderProcesses: shared,
    instances: undefined,
    ledgerFailure: () => ledger.state().failure ?? probe.failure(),
    requestHistory: new LedgerRequestHistory(new SqliteRows(historyFile), () => ledger.catchUp()),
    ...openInMemory(),
    catalog,
    lastUsed,
    ...log,
    savedViews: await SqlSavedViewStore.open(database),
    ...(await openAlerts(database, backgroundDatabase, vault)),
    backgroundTasks: [ledger.backgroundTask, log.requestLog.backgroundTask],
    checkpoint: () => database.checkpoint(),
    async close(cut, closing = new Closing()) {
      // A wait for a lock would block the event loop, and with it every deadline and signal.
      database.setBusyTimeout(0);
      const stores = {
        historyFile,
        ledger,
        checkpoint,
        sessions,
        accessTokens,
        lastUsed,
        ...log,
        backgroundDatabase,
        database,
        lock,
      };
      await closing.run(closingSteps(stores, cut));
    },
  };
}

function prepareFiles({ sharedMemory, journal }: FolderFiles, requestLogFolder: string): void {
  // Created before the first commit, so that a WAL without a journal proves that the journal was lost.
  if (readJournal(journal).isEmpty) closeSync(createJournal(journal, { entryId: 0, changeId: 0 }));
  prepareSharedMemory(sharedMemory);
  prepareFolder(requestLogFolder);
}

function openRequestLog({ requestLog, dataFolder, nowMs }: StoreOptions, folder: string): Pick<OpenResources, "requestLog" | "exports"> {
  return {
    requestLog: new EmbeddedRequestLogStore({ ...requestLog, folder, nowMs, monotonicMs }),
    exports: new FolderExportStore(join(dataFolder, "exports"), nowMs),
  };
}

/** Alerts are raised in the background while requests are served. Changes of webhooks and acknowledgements by operators are durable. */
async function openAlerts(
  database: Database,
  background: Database,
  vault: Vault,
): Promise<Pick<Stores, "webhooks" | "alerts" | "raisedAlerts" | "hourlySpend">> {
  return {
    webhooks: await SqlWebhookStore.open(database, vault),
    alerts: await SqlAlertStore.open(background),
    raisedAlerts: new SqlRaisedAlertStore(database),
    hourlySpend: new SqlHourlySpendStore(background),
  };
}

/** The stores in memory, whose contents end with the process. */
function openInMemory(): Pick<Stores, "limits" | "emptyLimits" | "claims" | "responses"> {
  return {
    limits: new MemoryLimitStore(),
    emptyLimits: () => new MemoryLimitStore(),
    claims: new MemoryClaimStore(),
    responses: new MemoryResponseStore(),
  };
}

async function openMigrated(path: string, { reportMigrations }: StoreOptions): Promise<SqliteDatabase> {
  const database = openSqlite(path);
  try {
    const migrated = await migrate(database);
    if (migrated.length > 0) reportMigrations?.(migrated);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** The resources that `closingSteps` closes. */
interface OpenResources {
  readonly historyFile: SqliteFile;
  readonly ledger: EmbeddedLedgerStore;
  readonly checkpoint: Checkpoint;
  readonly sessions: SessionStore;
  readonly accessTokens: AccessTokenStore;
  readonly lastUsed: SqlLastUsedStore;
  readonly requestLog: EmbeddedRequestLogStore;
  readonly exports: FolderExportStore;
  readonly backgroundDatabase: SqliteDatabase;
  readonly database: SqliteDatabase;
  readonly lock: { release(): void };
}

function closingSteps(open: OpenResources, cut: (() => unknown) | undefined): ClosingStep[] {
  return [
    // Closed first: the last connection to close checkpoints the WAL, and a read-only connection cannot do that.
    { name: "request history", close: () => open.historyFile.close() },
    { name: "ledger", limitMs: LEDGER_LIMIT_MS, close: (expired) => open.ledger.close(expired) },
    { name: "checkpoint thread", close: () => open.checkpoint.close() },
    { name: "requests in flight", close: () => cut?.() },
    { name: "sessions", close: () => open.sessions.close() },
    { name: "access tokens", close: () => open.accessTokens.close() },
    { name: "last-used times", close: () => open.lastUsed.close() },
    { name: "exports", close: () => open.exports.close() },
    { name: "request log", limitMs: REQUEST_LOG_LIMIT_MS, close: () => open.requestLog.close() },
    { name: "alerts database", close: () => open.backgroundDatabase.destroy() },
    { name: "database", close: () => open.database.destroy() },
    { name: "lock of the data folder", close: () => open.lock.release() },
  ];
}

function refuseDamaged(dataFolder: string): void {
  const damage = examineFolder(dataFolder);
  if (damage.findings.length > 0) throw new FolderDamaged(dataFolder, damage);
}

/** From <linux/magic.h>. */
const BTRFS = 0x9123683e;

/**
 * Disables copy-on-write for the shared memory file of a database (`-shm`), which SQLite maps into memory. On btrfs a store into a mapped
 * page allocates a new block, and on a full disk that ends the process with SIGBUS. The other files are written with system calls, which
 * fail with an error. `chattr +C` only works on an empty file, so the file is created again: no process may have the database open. For a
 * system without `chattr`, see docs/storage.md.
 */
function prepareSharedMemory(path: string): void {
  if (!isOnBtrfs(dirname(path))) return;
  rmSync(path, { force: true });
  closeSync(openSync(path, "a", 0o600));
  avoidCopyOnWrite(path);
}

/** Disables copy-on-write for all files that will be created in a folder. */
function prepareFolder(path: string): void {
  if (!isOnBtrfs(dirname(path))) return;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  avoidCopyOnWrite(path);
}

function isOnBtrfs(folder: string): boolean {
  return statfsSync(folder).type === BTRFS;
}

function avoidCopyOnWrite(path: string): void {
  if (Bun.which("chattr") !== null) Bun.spawnSync(["chattr", "+C", path]);
}
