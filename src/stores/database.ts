import { Kysely, type Compilable } from "kysely";
import type { AccessTokenTable } from "./access-tokens/access-token-table.ts";
import type { AccountTable } from "./accounts/account-table.ts";
import type { DeliveryTable } from "./alerts/delivery-table.ts";
import type { HourlySpendTable } from "./alerts/hourly-spend-table.ts";
import type { RaisedAlertTable } from "./alerts/raised-alert-table.ts";
import type { WebhookTable } from "./alerts/webhook-table.ts";
import type { ChangeTable } from "./audit-log/change-table.ts";
import type { AnnouncementTable } from "./catalog/announcement-table.ts";
import type { DiscoveredModelsTable } from "./catalog/discovered-models-table.ts";
import type { ModelTable } from "./catalog/model-table.ts";
import type { PriceTable } from "./catalog/price-table.ts";
import type { UpstreamTable } from "./catalog/upstream-table.ts";
import type { KeyTable } from "./keys/key-table.ts";
import type { PersonTable } from "./people/person-table.ts";
import type { SavedViewTable } from "./saved-views/saved-view-table.ts";
import type { SessionTable } from "./sessions/session-table.ts";

/** The tables of the platform, by name. */
export interface Tables {
  access_tokens: AccessTokenTable;
  accounts: AccountTable;
  alert_marks: AlertMarkTable;
  alerts: AlertTable;
  announcements: AnnouncementTable;
  changes: ChangeTable;
  declared_file: DeclaredFileTable;
  deliveries: DeliveryTable;
  discovered_models: DiscoveredModelsTable;
  key_hours: HourlySpendTable;
  keys: KeyTable;
  models: ModelTable;
  price_lists: PriceListTable;
  endpoints: EndpointTable;
  prices: PriceTable;
  raised_alerts: RaisedAlertTable;
  upstreams: UpstreamTable;
  people: PersonTable;
  saved_views: SavedViewTable;
  sessions: SessionTable;
  key_uses: KeyUseTable;
  model_uses: ModelUseTable;
  webhooks: WebhookTable;
}

/**
 * The failures that a charge survives: a crash of the process (`process`); also a loss of power (`power`), which takes an fsync for each
 * commit; or the loss of the machine with its disk (`cluster`), for which replies wait for the shared database.
 */
export type Durability = "process" | "power" | "cluster";

/** Records that were changed, by their ids. */
export interface ChangedRecords {
  readonly kind: RecordKind;
  readonly ids: readonly string[];
}

/** A change of records that stores have in memory. */
export interface PreparedWrite {
  readonly statements: readonly Compilable[];
  /** Puts the change in force in memory, after the commit. */
  readonly apply: () => void;
  /** Other records that this write changes, if any. */
  readonly alsoChanged?: readonly ChangedRecords[];
  /** Puts in force the part of the change that holds in this process even if the write fails, such as a revocation. */
  readonly applyUnwritten?: () => void;
}

/** The kinds of records that stores have in memory. */
export type RecordKind =
  | "access_token"
  | "account"
  | "alert_mark"
  | "catalog"
  | "config_file"
  | "key"
  | "person"
  | "saved_view"
  | "session"
  | "webhook";

export interface RecordWriter {
  /** Runs statements in one transaction, all or none, and durably. Throws `StorageUnavailable`. */
  write(...statements: readonly Compilable[]): Promise<void>;
}

/** Reads records, and writes changes that follow from them. */
export interface RecordReader extends Pick<Kysely<Tables>, "selectFrom">, RecordWriter {}

/** The copy in memory of the records of one kind. */
export interface RecordCache {
  /**
   * Reads these records, or all, and puts them in force together: another process may have changed or deleted them. The database calls this
   * while no copy in memory changes, and calls it again for changes that were committed after the reading began. It uses only `reader`: it
   * may run within a transaction, which must not wait for another connection.
   */
  reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void>;
}

/** A database with the tables of the platform: Kysely for queries, and transactions of prepared statements. */
export abstract class Database extends Kysely<Tables> implements RecordReader {
  abstract write(...statements: readonly Compilable[]): Promise<void>;

  /**
   * Compare-and-set. When `make` is called, the copies of all records in memory are current. They stay current until the change is
   * committed: no process changes a record meanwhile. `make` returns undefined if there is nothing to change, and may be called more than
   * once. The change is in force in this process when this resolves. Throws `StorageUnavailable`.
   */
  abstract change<Made extends object | undefined>(
    kind: RecordKind,
    ids: readonly string[],
    make: () => Made,
    prepare: (made: NonNullable<Made>) => PreparedWrite,
  ): Promise<Made>;

  /**
   * Resolves when the copies in memory have all changes until now, including changes of other processes. If the database cannot be reached,
   * the copies stay as they are.
   */
  abstract refresh(): Promise<void>;

  /** Registers a copy in memory of the records of one kind, and fills it. */
  abstract cache(kind: RecordKind, cache: RecordCache): Promise<void>;
}

/** A row of `price_lists`: an operator's declaration, as JSON. */
interface PriceListTable {
  id: string;
  declared: string;
  created_at_ms: number;
}

/** A row of `endpoints`: an endpoint that an operator has turned on. */
interface EndpointTable {
  id: string;
  created_at_ms: number;
}

/** The only row of `declared_file`, which only a shared database has. Its content is encrypted. */
interface DeclaredFileTable {
  single: number;
  digest: string;
  content: string;
  declared_by: string;
}

/** A row of `key_uses`: when a key last made an authenticated request. */
interface KeyUseTable {
  key_id: string;
  last_used_at_ms: number;
}

/** A row of `model_uses`: when a request of a key was last admitted for a model, and the number of such requests. */
interface ModelUseTable {
  model: string;
  key_id: string;
  last_used_at_ms: number;
  requests: number;
}

/** A row of `alerts`: an alert, and the body that is sent. */
interface AlertTable {
  id: string;
  kind: string;
  at_ms: number;
  body: string;
}

/** A row of `alert_marks`: an alert about a subject that was raised and is not over. */
interface AlertMarkTable {
  subject: string;
  value: string;
  at_ms: number;
  /** The raised alert, which is resolved when the mark is removed. */
  alert_id: string | null;
  alert_kind: string | null;
}
