import type { Secret } from "../lib/secret/secret.ts";
import { BoottimeClock } from "../lib/time/boottime-clock.ts";
import type { Purse } from "../money/purse.ts";
import { authorityAway } from "../requests/authority-away.ts";
import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import { SqlAccessTokenStore } from "./access-tokens/sql-access-token-store.ts";
import { openAccounts } from "./accounts/open-accounts.ts";
import { SqlAlertStore } from "./alerts/sql-alert-store.ts";
import { SqlHourlySpendStore } from "./alerts/sql-hourly-spend-store.ts";
import { SqlRaisedAlertStore } from "./alerts/sql-raised-alert-store.ts";
import { SqlWebhookStore } from "./alerts/sql-webhook-store.ts";
import { SqlAuditLogStore } from "./audit-log/sql-audit-log-store.ts";
import { SqlCatalogStore } from "./catalog/sql-catalog-store.ts";
import { PostgresClaimStore } from "./claims/postgres-claim-store.ts";
import { Closing, type ClosingStep } from "./closing.ts";
import { PostgresDeclaredFileStore } from "./declared-file/postgres-declared-file-store.ts";
import { PostgresExportStore } from "./exports/postgres-export-store.ts";
import { SqlKeyStore } from "./keys/sql-key-store.ts";
import { SqlLastUsedStore } from "./last-used/sql-last-used-store.ts";
import { NO_ANSWER } from "./ledger/leases/authority.ts";
import type { InstanceRole } from "./ledger/instance-store.ts";
import { endClusterLedger, openClusterLedger, type ClusterLedger, type ClusterLedgerOptions } from "./ledger/postgres/cluster-ledger.ts";
import { LedgerMaintenance } from "./ledger/postgres/ledger-maintenance.ts";
import { LOST_AFTER } from "./ledger/postgres/locked-purses.ts";
import { PostgresInstanceStore } from "./ledger/postgres/postgres-instance-store.ts";
import { PostgresLedgerRecordStore } from "./ledger/postgres-records/postgres-ledger-record-store.ts";
import { UsageRollups } from "./ledger/usage/postgres-rollup-updater.ts";
import { LedgerRequestHistory } from "./ledger/records/request-history.ts";
import { PostgresRows } from "./ledger/records/postgres-rows.ts";
import { endProcess } from "./limits/postgres/limit-membership.ts";
import { PostgresLimitAuthority } from "./limits/postgres/postgres-limit-authority.ts";
import { SharedLimitStore } from "./limits/shared-limit-store.ts";
import { MemoryLimitStore } from "./limits/memory-limit-store.ts";
import type { StoreOptions, Stores } from "./stores.ts";
import { SqlPersonStore } from "./people/sql-person-store.ts";
import { PostgresProcessReportStore } from "./process-reports/postgres-process-report-store.ts";
import { confirmSecrets, type SharedSecret } from "./postgres/confirm-secrets.ts";
import { Leadership } from "./postgres/leadership.ts";
import { refuseMovedDatabase } from "./postgres/move-state.ts";
import { openPostgres, type OpenPostgres } from "./postgres/open-postgres.ts";
import type { PostgresDatabase } from "./postgres/postgres-database.ts";
import type { PostgresPool } from "./postgres/postgres-pool.ts";
import { reportTogether, type ReportFailure } from "./report-together.ts";
import { capsIn, onCapsChanged } from "./replication/caps-changes.ts";
import { PostgresRequestLogStore } from "./request-log/postgres/postgres-request-log-store.ts";
import { MemoryResponseStore } from "./responses/memory-response-store.ts";
import { SqlSavedViewStore } from "./saved-views/sql-saved-view-store.ts";
import { SqlSessionStore } from "./sessions/sql-session-store.ts";
import { Vault } from "./vault.ts";

/** A process needs few connections: one for its shipments, one for changes, and some for reads. */
const MAX_CONNECTIONS = 10;
/** Including the connection that listens for notices. */
export const CONNECTIONS_OF_PROCESS = MAX_CONNECTIONS + 1;
/** A request that waits for a statement, such as a lease, should not wait longer. */
const STATEMENT_TIMEOUT_MS = 5000;
const LEDGER_LIMIT_MS = 5000;
/** The jobs that one process of the cluster runs: evaluating and delivering alerts, and the maintenance of the ledger. */
const ALERTS = "alerts";
const LEDGER = "ledger";
/** Longer than the 4 s that the request log waits for the redaction hook. */
const REQUEST_LOG_LIMIT_MS = 5000;

export interface ClusterOptions extends Omit<StoreOptions, "secret">, Omit<ClusterLedgerOptions, "monotonicMs" | "ended"> {
  /** The address of the database. */
  readonly url: Secret;
  /** The secret that encrypts credentials. */
  readonly secret: Secret;
  /** The secrets that all processes must have in common. */
  readonly sharedSecrets: readonly SharedSecret[];
  readonly role: InstanceRole;
  /** Called when the maintenance of the ledger fails, and with undefined when it succeeds again. */
  readonly reportMaintenance: ReportFailure;
}

/**
 * Opens the stores of a process that shares a PostgreSQL database with others. The data folder contains only the journal. Throws
 * `StorageUnavailable`, `CannotMigrate`, `DataMoved`, `OtherSecret`, `FolderInUse` and `ProcessesRunning`, and `CannotRecoverProcess` if a
 * journal on this machine cannot be applied.
 */
export async function openClusterStores(options: ClusterOptions): Promise<Stores> {
  const reportOf = reportTogether(options.reportLedger);
  const postgres = await openPostgres({
    url: options.url,
    maxConnections: MAX_CONNECTIONS,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    monotonicMs: preciseMs,
    report: reportOf(),
  });
  if (postgres.migrated.length > 0) options.reportMigrations?.(postgres.migrated);
  try {
    await options.clock.read(postgres.pool);
    await refuseMovedDatabase(postgres.pool);
    await confirmSecrets(postgres.pool, options.sharedSecrets);
    return await openStoresOn(postgres, options, reportOf);
  } catch (error) {
    postgres.feed.stop();
    await postgres.pool.close();
    throw error;
  }
}

/** A clock that stops while the machine is suspended must not decide how stale this process's data is, and whether it leads. */
const preciseMs = new BoottimeClock().nowMs;
/** In whole milliseconds: a rate limit counts requests within the same millisecond together. */
const wholeMs = (): number => Math.floor(performance.now());

async function openStoresOn(postgres: OpenPostgres, options: ClusterOptions, reportOf: () => ReportFailure): Promise<Stores> {
  const { pool, feed, database } = postgres;
  const { nowMs, attributionNames: namesPerDay } = options;
  const platform = await openPlatformStores(database, options);
  const { accounts, keys } = platform;
  const capsOf = capsIn({ keys, accounts });
  const ended = (id: string): Promise<void> => endProcess(pool, id);
  const ledger = await openClusterLedger(postgres, capsOf, { ...options, monotonicMs: preciseMs, reportLedger: reportOf(), ended });
  const { store, authority, instanceId } = ledger;
  onCapsChanged({ keys, accounts }, (purse) => void authority.capsChanged([purse]).catch(() => undefined));
  const catchUp = (): Promise<void> => store.catchUp();
  const recallAll = (purses: readonly Purse[]): Promise<void> => authority.recallAll(purses);
  // A process that only serves model clients does no work for alerts.
  const jobs = options.role === "gateway" ? [LEDGER] : [ALERTS, LEDGER];
  const leadership = new Leadership({ pool, instanceId, jobs, monotonicMs: preciseMs });
  const instances = new PostgresInstanceStore({ pool, database, capsOf, instanceId });
  const rollups = new UsageRollups(pool, namesPerDay === undefined ? {} : { namesPerDay });
  const opened: OpenCluster = {
    ...platform,
    postgres,
    ledger,
    records: await PostgresLedgerRecordStore.open({ pool, database, catchUp, recallAll, namesPerDay, overflows: () => rollups.overflows }),
    rollups,
    instances,
    maintenance: new LedgerMaintenance({
      pool,
      capsOf,
      instances,
      isLeader: () => leadership.isLeader(LEDGER),
      nowMs,
      report: options.reportMaintenance,
    }),
    limits: await openLimits(pool, instanceId, reportOf()),
    claims: new PostgresClaimStore({ pool, instanceId, shipAll: () => store.shipAll() }),
    requestLog: new PostgresRequestLogStore({ ...options.requestLog, pool, nowMs, monotonicMs: preciseMs }),
    exports: new PostgresExportStore({ pool, instanceId, lostAfter: LOST_AFTER, nowMs }),
    leadership,
  };
  opened.rollups.start();
  await opened.claims.start();
  authority.whenUnstated((run, hasLostJoin) => opened.claims.stateClaimsInRun(run, hasLostJoin));
  leadership.start();
  opened.maintenance.start();
  await feed.start();
  return {
    ...platform,
    catchUp: () => feed.refresh().catch(refuseUnknown),
    ledger: store,
    ledgerRecords: opened.records,
    sharedLedger: undefined,
    folderProcesses: options.isShared ? ledger.claimed : undefined,
    instances,
    ledgerFailure: () => store.state().failure ?? (store.mayAdmit ? undefined : NO_ANSWER),
    declaredFile: new PostgresDeclaredFileStore({ database, vault: new Vault(options.secret, options.oldSecret), instanceId }),
    requestHistory: new LedgerRequestHistory(new PostgresRows(pool), catchUp),
    limits: opened.limits.store,
    emptyLimits: () => new MemoryLimitStore(),
    claims: opened.claims,
    responses: new MemoryResponseStore(),
    requestLog: opened.requestLog,
    exports: opened.exports,
    processReports: new PostgresProcessReportStore({ pool, instanceId, lostAfter: LOST_AFTER }),
    isLeader: () => leadership.isLeader(ALERTS),
    backgroundTasks: [opened.requestLog.backgroundTask],
    checkpoint: async () => undefined,
    close: (cut, closing = new Closing()) => closing.run(closingSteps(opened, cut)),
  };
}

type PlatformStores = Pick<
  Stores,
  | "accounts"
  | "keys"
  | "catalog"
  | "people"
  | "sessions"
  | "savedViews"
  | "accessTokens"
  | "auditLog"
  | "lastUsed"
  | "webhooks"
  | "alerts"
  | "raisedAlerts"
  | "hourlySpend"
>;

/** The stores that have one implementation for both databases. */
async function openPlatformStores(
  database: PostgresDatabase,
  options: ClusterOptions,
): Promise<PlatformStores & { readonly lastUsed: SqlLastUsedStore }> {
  const { secret, oldSecret, defaultPrices, nowMs } = options;
  const vault = new Vault(secret, oldSecret);
  return {
    accounts: await openAccounts(database, nowMs()),
    keys: await SqlKeyStore.open(database),
    catalog: await SqlCatalogStore.open({ database, vault, defaultPrices }),
    people: await SqlPersonStore.open(database),
    sessions: await SqlSessionStore.open(database),
    accessTokens: await SqlAccessTokenStore.open(database),
    auditLog: new SqlAuditLogStore(database),
    lastUsed: new SqlLastUsedStore(database),
    savedViews: await SqlSavedViewStore.open(database),
    webhooks: await SqlWebhookStore.open(database, vault),
    alerts: await SqlAlertStore.open(database),
    raisedAlerts: new SqlRaisedAlertStore(database),
    hourlySpend: new SqlHourlySpendStore(database),
  };
}

/** The rate limits that this process shares with other processes. */
interface ClusterLimits {
  readonly authority: PostgresLimitAuthority;
  readonly store: SharedLimitStore;
}

async function openLimits(pool: PostgresPool, processId: string, report: ReportFailure): Promise<ClusterLimits> {
  const authority = new PostgresLimitAuthority({ pool, processId, monotonicMs: wholeMs, report });
  const store = new SharedLimitStore(authority, wholeMs);
  await authority.start(store);
  return { authority, store };
}

/** Rethrows an error. If the database is away, throws the 503 of `authorityAway`. */
function refuseUnknown(error: unknown): never {
  throw error instanceof StorageUnavailable ? authorityAway(error.message) : error;
}

/** The resources that `closingSteps` closes. */
interface OpenCluster extends Pick<Stores, "sessions" | "accessTokens"> {
  readonly leadership: Leadership;
  readonly maintenance: LedgerMaintenance;
  readonly postgres: OpenPostgres;
  readonly ledger: ClusterLedger;
  readonly instances: PostgresInstanceStore;
  readonly limits: ClusterLimits;
  readonly claims: PostgresClaimStore;
  readonly records: PostgresLedgerRecordStore;
  readonly rollups: UsageRollups;
  readonly lastUsed: SqlLastUsedStore;
  readonly requestLog: PostgresRequestLogStore;
  readonly exports: PostgresExportStore;
}

function closingSteps(open: OpenCluster, cut: (() => unknown) | undefined): ClosingStep[] {
  const { postgres, ledger } = open;
  return [
    { name: "ledger", limitMs: LEDGER_LIMIT_MS, close: () => ledger.store.close() },
    { name: "rate limits", limitMs: LEDGER_LIMIT_MS, close: () => open.limits.store.close() },
    { name: "requests in flight", close: () => cut?.() },
    { name: "idempotency claims", close: () => open.claims.close() },
    { name: "journal", limitMs: LEDGER_LIMIT_MS, close: () => endClusterLedger(ledger) },
    { name: "status of this process", limitMs: LEDGER_LIMIT_MS, close: () => open.instances.close() },
    { name: "sessions", close: () => open.sessions.close() },
    { name: "access tokens", close: () => open.accessTokens.close() },
    { name: "last-used times", close: () => open.lastUsed.close() },
    { name: "exports", limitMs: LEDGER_LIMIT_MS, close: () => open.exports.close() },
    { name: "request log", limitMs: REQUEST_LOG_LIMIT_MS, close: () => open.requestLog.close() },
    { name: "slices of rate limits", limitMs: LEDGER_LIMIT_MS, close: () => open.limits.authority.close() },
    { name: "maintenance of the ledger", limitMs: LEDGER_LIMIT_MS, close: () => open.maintenance.close() },
    { name: "leadership", close: () => open.leadership.close() },
    { name: "usage rollups", limitMs: LEDGER_LIMIT_MS, close: () => open.rollups.close() },
    { name: "ledger records", close: () => open.records.close() },
    {
      name: "database",
      close: () => {
        postgres.feed.stop();
        return postgres.database.destroy();
      },
    },
    { name: "lock of the data folder", close: () => ledger.claimed?.release() },
  ];
}
