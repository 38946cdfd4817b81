import type { Exchange } from "../http/endpoint.ts";
import type { AccessTokenStore } from "../stores/access-tokens/access-token-store.ts";
import type { AccountStore } from "../stores/accounts/account-store.ts";
import type { AlertStore, Delivery } from "../stores/alerts/alert-store.ts";
import type { WebhookStore } from "../stores/alerts/webhook-store.ts";
import type { AuditLogStore } from "../stores/audit-log/audit-log-store.ts";
import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { PastRequestStore } from "../stores/ledger/past-request-store.ts";
import type { LimitStore } from "../stores/limits/limit-store.ts";
import type { PersonStore } from "../stores/people/person-store.ts";
import type { RequestLogStore } from "../stores/request-log/request-log-store.ts";
import type { SessionStore } from "../stores/sessions/session-store.ts";
import type { LastUsedStore } from "../stores/last-used/use-store.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { Change } from "../access/change.ts";
import type { ReloadReport } from "../config/reload-report.ts";
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
import type { SignIn } from "./sign-in/sign-in.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** What can be done about the config file. */
export interface ConfigFile {
  readonly path: string;
  /** Reads it again and puts it in force. Throws `invalid_config` where it cannot be used: nothing has changed then. */
  forCaller(record: (before: object | null, after: object) => Change): Promise<ReloadReport>;
}

/** Has the gateway answer a chat completion as one with a key. `resolveCaller` says which that is as often as it is asked, or throws. */
export type CallAsKey = (resolveCaller: () => KeyRecord, exchange: Exchange) => Promise<Reply>;

/** All that the platform's endpoints need. */
export interface Platform {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly people: PersonStore;
  readonly sessions: SessionStore;
  readonly accessTokens: AccessTokenStore;
  readonly auditLog: AuditLogStore;
  readonly ledger: LedgerStore;
  readonly pastRequests: PastRequestStore;
  /** Limits of which nothing is taken, to try a change of them out. */
  readonly emptyLimits: () => LimitStore;
  readonly catalog: CatalogStore;
  /** The file that declares upstreams and models, if there is one. What it declares can be changed there only. */
  readonly config: ConfigFile | undefined;
  readonly uses: LastUsedStore;
  readonly requestLog: RequestLogStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly signIn: SignIn;
  /** Where people reach it: `https://example.com/tollgate`. Links to its pages begin with it. */
  readonly address: () => string;
  /** The pages for people. */
  readonly console: BuiltConsole;
  readonly version: string;
  /** Where clients reach the gateway, without `/v1`. */
  readonly gatewayUrl: string;
  /** For how many days requests are kept; 0 where they are not. */
  readonly requestLogDays: number;
  /** What keys and access tokens are hashed with. */
  readonly hashSecret: Secret;
  readonly operatorToken: Secret;
  readonly callAsKey: CallAsKey;
  /** Calls an upstream in the least costly way, to see whether it can be called. */
  readonly testUpstream: (settings: UpstreamSettings, signal: CancelSignal) => Promise<ConnectionTest>;
  /** Tries live how a model at an upstream answers. It costs a few tokens there. */
  readonly examineUpstream: (settings: UpstreamSettings, model: string, signal: CancelSignal) => Promise<DoctorReport>;
  /** In what the answers of upstreams have parted from their format since the start. */
  readonly deviations: () => readonly DeviationCount[];
  /** How it fares, as far as is known from the calls of the gateway. */
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  /** All that is measured, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Sends a message to a webhook, to see whether it arrives. */
  readonly testWebhook: (webhook: Webhook) => Promise<Delivery>;
  /** Sends what is due without waiting for the next look. */
  readonly wakeDeliveries: () => void;
  /** What providers publish as their prices. */
  readonly listPrices: {
    /** By rising size: the lengths of a prompt above which a price may be another. */
    readonly tierBounds: () => readonly number[];
    /** The versions of a model's price at an address, by rising date. None where it is not known. */
    readonly find: (baseUrl: string, upstreamModel: string) => readonly Price[];
  };
  /** How often a member may change something. */
  readonly memberChanges: MinuteThrottle;
  /** Who has a preview or a usage report worked out. */
  readonly fewAtATime: ConcurrencyLimit;
  /** The system clock: what is recorded, and what has a date. */
  readonly nowMs: () => number;
  /** Whole milliseconds by a clock that nobody sets: how long something lasts within this process. */
  readonly monotonicMs: () => number;
}
