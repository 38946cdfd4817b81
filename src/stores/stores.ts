import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { AccessTokenStore } from "./access-tokens/access-token-store.ts";
import type { AccountStore } from "./accounts/account-store.ts";
import type { AlertStore } from "./alerts/alert-store.ts";
import type { HourlySpendStore } from "./alerts/hourly-spend-store.ts";
import type { RaisedAlertStore } from "./alerts/raised-alert-store.ts";
import type { WebhookStore } from "./alerts/webhook-store.ts";
import type { AuditLogStore } from "./audit-log/audit-log-store.ts";
import type { CatalogStore } from "./catalog/catalog-store.ts";
import type { DefaultPrices } from "./catalog/compose-catalog.ts";
import type { DeclaredFileStore } from "./declared-file/declared-file-store.ts";
import type { ProcessReportStore } from "./process-reports/process-report-store.ts";
import type { ClaimStore } from "./claims/claim-store.ts";
import type { Closing } from "./closing.ts";
import type { Durability } from "./database.ts";
import type { ExportStore } from "./exports/export-store.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { InstanceStore } from "./ledger/instance-store.ts";
import type { LedgerRecordStore } from "./ledger/ledger-record-store.ts";
import type { LedgerStore } from "./ledger/ledger-store.ts";
import type { SharedLedger } from "./ledger/processes/open-ledger.ts";
import type { RunningProcess } from "./ledger/processes/process-folder.ts";
import type { FolderProcesses } from "./ledger/processes/process-recovery.ts";
import type { RequestHistoryStore } from "./ledger/request-history-store.ts";
import type { LimitStore, LocalLimitStore } from "./limits/limit-store.ts";
import type { PersonStore } from "./people/person-store.ts";
import type { RequestLogOptions } from "./request-log/embedded-request-log-store.ts";
import type { ReceivingRequestLogStore } from "./request-log/request-log-store.ts";
import type { Clocks } from "./request-log/trusted-wall-clock.ts";
import type { ResponseStore } from "./responses/response-store.ts";
import type { SavedViewStore } from "./saved-views/saved-view-store.ts";
import type { SessionStore } from "./sessions/session-store.ts";
import type { SummingLastUsedStore } from "./last-used/last-used-store.ts";

/** All storage of a gateway. */
export interface Stores {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly people: PersonStore;
  readonly sessions: SessionStore;
  readonly savedViews: SavedViewStore;
  readonly accessTokens: AccessTokenStore;
  readonly auditLog: AuditLogStore;
  /** Reads the changes of keys, accounts and models that other processes have made; undefined if there are no other processes. */
  readonly catchUp?: () => Promise<void>;
  readonly ledger: LedgerStore;
  readonly ledgerRecords: LedgerRecordStore;
  /** The ledger that gateway processes share, if there are any. */
  readonly sharedLedger: SharedLedger | undefined;
  /** The gateway processes of the data folder, if this process starts any. */
  readonly folderProcesses: FolderProcesses | undefined;
  /** The processes that share the database, if it is shared. */
  readonly instances: InstanceStore | undefined;
  /** Why the ledger cannot be written: the error of its last write or of a write probe. Undefined if it can be written. */
  readonly ledgerFailure: () => string | undefined;
  readonly requestHistory: RequestHistoryStore;
  readonly limits: LimitStore;
  /** New rate limits with nothing counted, for previews. */
  readonly emptyLimits: () => LocalLimitStore;
  /** Idempotency keys under which a request is in flight. */
  readonly claims: ClaimStore;
  readonly catalog: CatalogStore;
  /** The config file that all processes serve, if they share the database. */
  readonly declaredFile?: DeclaredFileStore;
  readonly lastUsed: SummingLastUsedStore;
  readonly responses: ResponseStore;
  readonly requestLog: ReceivingRequestLogStore;
  readonly exports: ExportStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly raisedAlerts: RaisedAlertStore;
  readonly hourlySpend: HourlySpendStore;
  /** Whether this process, of all that share the database, evaluates and delivers alerts; undefined if it is the only process. */
  readonly isLeader?: () => boolean;
  /** The reports between processes that share a database. */
  readonly processReports?: ProcessReportStore;
  /** Background writes, run in slices after responses. */
  readonly backgroundTasks: readonly BackgroundTask[];
  /** Checkpoints the WAL into the database file. Without this, all data of a first start would be only in the WAL. */
  checkpoint(): Promise<void>;
  /**
   * Closes all stores in order. `cut` ends the requests in flight after the ledger is closed and before the request log is: these requests
   * are logged, and the next start closes their holds. Failures are recorded in `closing`, and the other stores are still closed.
   */
  close(cut?: () => unknown, closing?: Closing): Promise<void>;
}

export interface StoreOptions {
  readonly dataFolder: string;
  readonly durability: Durability;
  /** The secret that encrypts credentials. If it is undefined, a secret is created in the data folder. */
  readonly secret: Secret | undefined;
  /** The previous secret, while anything is still encrypted with it. */
  readonly oldSecret: Secret | undefined;
  readonly defaultPrices: DefaultPrices;
  readonly nowMs: () => number;
  /** Called when the ledger becomes unwritable, and with undefined when it is writable again. */
  readonly reportLedger: (failure: string | undefined) => void;
  /** Called after migrations of an older version's data, with the names of the migrations. */
  readonly reportMigrations?: (names: readonly string[]) => void;
  readonly requestLog: Omit<RequestLogOptions, "folder" | keyof Clocks>;
  /** The maximum number of end users, of conversations and of values of a tag that usage reports name for an account and day. */
  readonly attributionNames?: number | undefined;
  /** Whether gateway processes share the ledger of this process. */
  readonly isShared?: boolean;
  /** Ends the gateway processes of an earlier owner that was killed, if this process is to serve alone. */
  readonly endProcesses?: (running: readonly RunningProcess[]) => Promise<void>;
}
