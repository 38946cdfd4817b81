import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { NO_CAPS } from "../money/limits.ts";
import type { AccessTokenStore } from "./access-tokens/access-token-store.ts";
import { SqlAccessTokenStore } from "./access-tokens/sql-access-token-store.ts";
import type { AccountStore } from "./accounts/account-store.ts";
import { openAccounts } from "./accounts/open-accounts.ts";
import type { AlertStore } from "./alerts/alert-store.ts";
import { SqlAlertStore } from "./alerts/sql-alert-store.ts";
import { SqlHourlySpendStore } from "./alerts/sql-hourly-spend-store.ts";
import { SqlWebhookStore } from "./alerts/sql-webhook-store.ts";
import type { HourlySpendStore } from "./alerts/hourly-spend-store.ts";
import type { WebhookStore } from "./alerts/webhook-store.ts";
import type { AuditLogStore } from "./audit-log/audit-log-store.ts";
import { SqlAuditLogStore } from "./audit-log/sql-audit-log-store.ts";
import type { CatalogStore } from "./catalog/catalog-store.ts";
import type { DefaultPrices } from "./catalog/compose-catalog.ts";
import { SqlCatalogStore } from "./catalog/sql-catalog-store.ts";
import type { DeclaredFileStore } from "./declared-file/declared-file-store.ts";
import type { ProcessReportStore } from "./process-reports/process-report-store.ts";
import type { ClaimStore } from "./claims/claim-store.ts";
import { MemoryClaimStore } from "./claims/memory-claim-store.ts";
import { prepareFolder, prepareSharedMemory } from "./avoid-copy-on-write.ts";
import { Closing, type ClosingStep } from "./closing.ts";
import type { Durability } from "./database.ts";
import { BRIEF_BUSY_TIMEOUT_MS, SqliteDatabase, openSqlite, openSqliteReader, openSqliteWriter } from "./sqlite/sqlite-database.ts";
import { examineFolder } from "./examine-folder.ts";
import { lockFolder, refuseSharedDatabase } from "./folder-lock.ts";
import { FolderDamaged, processJournalDamaged, toFolderDamaged } from "./integrity/folder-damaged.ts";
import { filesIn, sizeOf, type FolderFiles } from "./integrity/folder-files.ts";
import { SqlKeyStore } from "./keys/sql-key-store.ts";
import { refuseMovedFolder } from "./moved-folder.ts";
import type { KeyStore } from "./keys/key-store.ts";
import { Checkpoint } from "./ledger/commit/checkpoint.ts";
import type { EmbeddedLedgerStore } from "./ledger/embedded-ledger-store.ts";
import { Journal } from "./ledger/journal/journal.ts";
import { createJournal } from "./ledger/journal/create-journal.ts";
import { readJournal } from "./ledger/journal/read-journal.ts";
import { EmbeddedRequestHistoryStore } from "./ledger/embedded-request-history-store.ts";
import type { InstanceStore } from "./ledger/instance-store.ts";
import type { LedgerRecordStore } from "./ledger/ledger-record-store.ts";
import type { LedgerStore } from "./ledger/ledger-store.ts";
import { lastChangeId } from "./ledger/journal/recover-journal.ts";
import type { CapsOf } from "./ledger/leases/purse-state.ts";
import { openLedger, type SharedLedger } from "./ledger/processes/open-ledger.ts";
import { findRunningProcesses, type RunningProcess } from "./ledger/processes/process-folder.ts";
import { CannotRecoverProcess, type FolderProcesses } from "./ledger/processes/process-recovery.ts";
import type { RequestHistoryStore } from "./ledger/request-history-store.ts";
import { WriteProbe } from "./ledger/commit/write-probe.ts";
import type { LimitStore, LocalLimitStore } from "./limits/limit-store.ts";
import { MemoryLimitStore } from "./limits/memory-limit-store.ts";
import { loadOrCreateSecret } from "./secret-file.ts";
import { Vault } from "./vault.ts";
import { migrate } from "./migrations/migrate.ts";
import { SqlPersonStore } from "./people/sql-person-store.ts";
import type { PersonStore } from "./people/person-store.ts";
import { EmbeddedRequestLogStore, type RequestLogOptions } from "./request-log/embedded-request-log-store.ts";
import type { ReceivingRequestLogStore } from "./request-log/request-log-store.ts";
import type { Clocks } from "./request-log/trusted-wall-clock.ts";
import { MemoryResponseStore } from "./responses/memory-response-store.ts";
import type { ResponseStore } from "./responses/response-store.ts";
import { SqlSessionStore } from "./sessions/sql-session-store.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import { SqlLastUsedStore } from "./last-used/sql-last-used-store.ts";
import type { SummingLastUsedStore } from "./last-used/last-used-store.ts";

/** All storage of a gateway. */
export interface Stores {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly people: PersonStore;
  readonly sessions: SessionStore;
  readonly accessTokens: AccessTokenStore;
  readonly auditLog: AuditLogStore;
  /** Reads the changes of keys, accounts and models that other processes have made; undefined where there are no others. */
  readonly catchUp?: () => Promise<void>;
  readonly ledger: LedgerStore;
  readonly ledgerRecords: LedgerRecordStore;
  /** Where gateway processes share it. */
  readonly sharedLedger: SharedLedger | undefined;
  /** The gateway processes of the data folder, where this process starts any. */
  readonly folderProcesses: FolderProcesses | undefined;
  /** The processes that share the database, where it is shared. */
  readonly instances: InstanceStore | undefined;
  /** Why the ledger cannot be written, if so: the error of its last write or of a write probe. */
  readonly ledgerFailure: () => string | undefined;
  readonly requestHistory: RequestHistoryStore;
  readonly limits: LimitStore;
  /** New rate limits with nothing counted, for previews. */
  readonly emptyLimits: () => LocalLimitStore;
  /** Idempotency keys under which a request is in flight. */
  readonly claims: ClaimStore;
  readonly catalog: CatalogStore;
  /** The config file that all processes serve, where they share the database. */
  readonly declaredFile?: DeclaredFileStore;
  readonly lastUsed: SummingLastUsedStore;
  readonly responses: ResponseStore;
  readonly requestLog: ReceivingRequestLogStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly hourlySpend: HourlySpendStore;
  /** Whether this process evaluates alerts and delivers them, of those that share the database; undefined where it is the only one. */
  readonly isLeader?: () => boolean;
  /** What processes that share the database report to each other. */
  readonly processReports?: ProcessReportStore;
  /** Background writes, run in slices after responses. */
  readonly backgroundTasks: readonly BackgroundTask[];
  /** Checkpoints the WAL into the database file. Without it, all data of a first start would be in the WAL alone. */
  checkpoint(): Promise<void>;
  /**
   * Closes all stores in order. `cut` ends the requests in flight, once the ledger is closed and before the request log is: they are logged,
   * and the next start closes their holds. Failures are recorded in `closing`; the other stores are closed all the same.
   */
  close(cut?: () => unknown, closing?: Closing): Promise<void>;
}

export interface StoreOptions {
  readonly dataFolder: string;
  readonly durability: Durability;
  /** The secret that encrypts credentials. Where none is given, one is created in the data folder. */
  readonly secret: Secret | undefined;
  /** The previous secret, while something is still encrypted with it. */
  readonly oldSecret: Secret | undefined;
  readonly defaultPrices: DefaultPrices;
  readonly nowMs: () => number;
  /** Called when the ledger becomes unwritable, and with undefined when it is writable again. */
  readonly reportLedger: (failure: string | undefined) => void;
  readonly requestLog: Omit<RequestLogOptions, "folder" | keyof Clocks>;
  /** Whether gateway processes share the ledger of this one. */
  readonly isShared?: boolean;
  /** Ends the gateway processes of an earlier owner, which was killed, where this process is to serve alone. */
  readonly endProcesses?: (running: readonly RunningProcess[]) => Promise<void>;
}

/** Outlasts a short lock of another process, such as a backup. */
const LEDGER_LIMIT_MS = 5000;
/** Above the 4 s that it waits for the redaction hook itself. */
const REQUEST_LOG_LIMIT_MS = 5000;
/** How long a start waits for another process that has the database open, such as a backup. */
const IN_USE_TIMEOUT_MS = 5000;

const monotonicMs = (): number => performance.now();

/**
 * Opens the stores in the data folder: locks it, checks its integrity, migrates the database and recovers from a crash. Missing files are
 * created. Throws `FolderInUse` or `DatabaseInUse` where another process uses the folder, `FolderDamaged` where records would be lost,
 * `DataMoved` for one that was moved to PostgreSQL, `CannotMigrate` for the folder of a newer version, and `ProcessesRunning` where other gateway processes run and this one is to serve alone.
 */
export async function openStores(options: StoreOptions): Promise<Stores> {
  const { dataFolder } = options;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataFolder);
  try {
    refuseMovedFolder(dataFolder);
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
  const database = await openMigrated(path);
  const accounts = await openAccounts(database, nowMs());
  const vault = new Vault(options.secret ?? loadOrCreateSecret(join(dataFolder, "secret")), options.oldSecret);
  const journal = new Journal(journalPath, durability);
  const checkpoint = new Checkpoint(path);
  const keys = await SqlKeyStore.open(database);
  const capsOf: CapsOf = ({ scope, id }) => (scope === "account" ? accounts : keys).find(id)?.caps ?? NO_CAPS;
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
  const requestHistory = new EmbeddedRequestHistoryStore(openSqliteReader(path), () => ledger.catchUp());
  const requestLog = new EmbeddedRequestLogStore({ ...options.requestLog, folder: requestLogFolder, nowMs, monotonicMs });
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
    requestHistory,
    ...openInMemory(),
    catalog,
    lastUsed,
    requestLog,
    webhooks: await SqlWebhookStore.open(database, vault),
    alerts: await SqlAlertStore.open(backgroundDatabase),
    hourlySpend: new SqlHourlySpendStore(backgroundDatabase),
    backgroundTasks: [ledger.backgroundTask, requestLog.backgroundTask],
    checkpoint: () => database.checkpoint(),
    async close(cut, closing = new Closing()) {
      // A wait for a lock would block the event loop, and with it every deadline and signal.
      database.setBusyTimeout(0);
      const stores = {
        requestHistory,
        ledger,
        checkpoint,
        sessions,
        accessTokens,
        lastUsed,
        requestLog,
        backgroundDatabase,
        database,
        lock,
      };
      await closing.run(closingSteps(stores, cut));
    },
  };
}

function prepareFiles({ sharedMemory, journal }: FolderFiles, requestLogFolder: string): void {
  // Before the first commit, so that a WAL without a journal proves that the journal was lost.
  if (readJournal(journal).isEmpty) closeSync(createJournal(journal, { entryId: 0, changeId: 0 }));
  prepareSharedMemory(sharedMemory);
  prepareFolder(requestLogFolder);
}

/** The stores whose contents end with the process. */
function openInMemory(): Pick<Stores, "limits" | "emptyLimits" | "claims" | "responses"> {
  return {
    limits: new MemoryLimitStore(),
    emptyLimits: () => new MemoryLimitStore(),
    claims: new MemoryClaimStore(),
    responses: new MemoryResponseStore(),
  };
}

async function openMigrated(path: string): Promise<SqliteDatabase> {
  const database = openSqlite(path);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** What `closingSteps` closes. */
interface OpenResources {
  readonly requestHistory: EmbeddedRequestHistoryStore;
  readonly ledger: EmbeddedLedgerStore;
  readonly checkpoint: Checkpoint;
  readonly sessions: SessionStore;
  readonly accessTokens: AccessTokenStore;
  readonly lastUsed: SqlLastUsedStore;
  readonly requestLog: EmbeddedRequestLogStore;
  readonly backgroundDatabase: SqliteDatabase;
  readonly database: SqliteDatabase;
  readonly lock: { release(): void };
}

function closingSteps(open: OpenResources, cut: (() => unknown) | undefined): ClosingStep[] {
  return [
    // First: the last connection to close checkpoints the WAL, which a read-only one cannot.
    { name: "request history", close: () => open.requestHistory.close() },
    { name: "ledger", limitMs: LEDGER_LIMIT_MS, close: (expired) => open.ledger.close(expired) },
    { name: "checkpoint thread", close: () => open.checkpoint.close() },
    { name: "requests in flight", close: () => cut?.() },
    { name: "sessions", close: () => open.sessions.close() },
    { name: "access tokens", close: () => open.accessTokens.close() },
    { name: "last-used times", close: () => open.lastUsed.close() },
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
