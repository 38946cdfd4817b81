import type { Exchange } from "../http/endpoint.ts";
import type { AccessTokenStore } from "../stores/access-tokens/access-token-store.ts";
import type { AccountStore } from "../stores/accounts/account-store.ts";
import type { AlertStore, Delivery } from "../stores/alerts/alert-store.ts";
import type { RaisedAlertStore } from "../stores/alerts/raised-alert-store.ts";
import type { WebhookStore } from "../stores/alerts/webhook-store.ts";
import type { AuditLogStore } from "../stores/audit-log/audit-log-store.ts";
import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { ExportStore } from "../stores/exports/export-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { LedgerRecordStore } from "../stores/ledger/ledger-record-store.ts";
import type { RequestHistoryStore } from "../stores/ledger/request-history-store.ts";
import type { LocalLimitStore } from "../stores/limits/limit-store.ts";
import type { PersonStore } from "../stores/people/person-store.ts";
import type { RequestLogStore } from "../stores/request-log/request-log-store.ts";
import type { SavedViewStore } from "../stores/saved-views/saved-view-store.ts";
import type { SessionStore } from "../stores/sessions/session-store.ts";
import type { LastUsedStore } from "../stores/last-used/last-used-store.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { Change } from "../access/change.ts";
import type { ConfigComparison, ReloadReport } from "../access/reload-report.ts";
import type { ModelKind } from "../models/catalog.ts";
import type { ConnectionTest } from "../models/connection-test.ts";
import type { DeviationCount } from "../models/deviation.ts";
import type { DoctorReport } from "../models/doctor-report.ts";
import type { Price } from "../money/price.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import type { Webhook } from "../alerts/webhook.ts";
import type { BuiltConsole } from "./console/built-console.ts";
import type { MinuteThrottle } from "./minute-throttle.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { Processes } from "./processes.ts";
import type { SignIn } from "./sign-in/sign-in.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** Operations on the config file. */
interface ConfigFile {
  readonly path: string;
  readonly state: { readonly inForceSinceMs: number };
  /** The declared resources, and the changes that a reload would make. Changes nothing. */
  compare(): Promise<ConfigComparison>;
  /** Reloads the file. Throws `invalid_config` if it is invalid: then nothing has changed. */
  reload(record: (before: object | null, after: object) => Change): Promise<ReloadReport>;
}

/** A backup that was created and verified. */
export interface LastBackup {
  readonly createdAt: string;
  readonly version: string;
  readonly path: string;
  readonly bytes: number;
  /** The names of its files from the data folder. */
  readonly files: readonly string[];
  /** The number of its ledger entries. */
  readonly entries: number;
  /** Processes whose latest charges may be missing in the backup. */
  readonly unshipped: readonly string[];
}

/** Calls the gateway's chat completions as a key. `resolveCaller` returns the key, or throws; it may be called repeatedly. */
export type CallAsKey = (resolveCaller: () => KeyRecord, exchange: Exchange) => Promise<Reply>;

/** The dependencies of the platform's endpoints. */
export interface Platform {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly people: PersonStore;
  readonly sessions: SessionStore;
  readonly savedViews: SavedViewStore;
  readonly accessTokens: AccessTokenStore;
  readonly auditLog: AuditLogStore;
  readonly ledgerRecords: LedgerRecordStore;
  readonly requestHistory: RequestHistoryStore;
  /** Empty rate limits, for simulations. */
  readonly emptyLimits: () => LocalLimitStore;
  readonly catalog: CatalogStore;
  /** The config file, if there is one. Its resources can be changed only there. */
  readonly config: ConfigFile | undefined;
  /** The last backup of this machine, if one is known. */
  readonly lastBackup: () => LastBackup | undefined;
  readonly lastUsed: LastUsedStore;
  readonly requestLog: RequestLogStore;
  readonly exports: ExportStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly raisedAlerts: RaisedAlertStore;
  readonly signIn: SignIn;
  /** The public URL: `https://example.com/tollgate`. Links to pages start with it. */
  readonly publicUrl: () => string;
  /** The console. */
  readonly console: BuiltConsole;
  readonly version: string;
  /** The commit that it was built from, if it is known. */
  readonly commit: string | null;
  /** The gateway's base URL for clients, without `/v1`. */
  readonly gatewayUrl: string;
  /** Retention of the request log in days; 0 if it is disabled. */
  readonly requestLogDays: number;
  /** The key of the hashes of API keys and access tokens. */
  readonly hashSecret: Secret;
  readonly operatorToken: Secret;
  readonly callAsKey: CallAsKey;
  readonly processes: Processes;
  /** Tests the connection to an upstream with the cheapest call. */
  readonly testUpstream: (settings: UpstreamSettings, signal: CancelSignal) => Promise<ConnectionTest>;
  /** Runs the doctor: live checks of an upstream model, which cost a few tokens. */
  readonly examineUpstream: (settings: UpstreamSettings, model: string, kind: ModelKind, signal: CancelSignal) => Promise<DoctorReport>;
  /** Format deviations of upstream responses since startup. */
  readonly deviations: () => readonly DeviationCount[];
  /** The health of an upstream, as observed by the gateway's calls. */
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  /** All metrics in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  /** Sends a test message to a webhook. */
  readonly testWebhook: (webhook: Webhook) => Promise<Delivery>;
  /** Starts due deliveries now, without waiting for the next poll. */
  readonly wakeDeliveries: () => void;
  /** The list prices of providers. */
  readonly listPrices: {
    /** Prompt lengths above which a price may have another tier, in ascending order. */
    readonly tierBounds: () => readonly number[];
    /** The price versions of a model of a kind at a base URL, by ascending date; empty if unknown. */
    readonly find: (baseUrl: string, upstreamModel: string, kind: ModelKind) => readonly Price[];
  };
  /**
   * Resolves when all changes made before are in force in every gateway process, or after a short wait for a process that does not respond.
   * Undefined if this process is the only one.
   */
  readonly propagated?: (() => Promise<void>) | undefined;
  /** The rate limit on changes by members. */
  readonly memberChanges: MinuteThrottle;
  /** The concurrency limit on previews and reports. */
  readonly reportLimit: ConcurrencyLimit;
  /** Logs an unexpected failure of background work, which no caller receives. */
  readonly reportFailure: (message: string, thrown: unknown) => void;
  /** The system clock, for records and dates. */
  readonly nowMs: () => number;
  /** A monotonic clock in whole milliseconds, for durations within this process. */
  readonly monotonicMs: () => number;
}
