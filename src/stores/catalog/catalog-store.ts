import type { Announcement, Catalog, Model, ModelState, Origin } from "../../models/catalog.ts";
import type { Change, MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { OptionalEndpoint } from "../../money/attribution.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import type { DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import type { PriceList } from "../../models/prices/price-list.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { DiscoveredModels } from "../../models/wildcard.ts";
import type { PreparedWrite, RecordWriter } from "../database.ts";

/** An announcement with its id. Ids increase. */
export type RecordedAnnouncement = Announcement & { readonly id: number };

/** The models, upstreams and endpoints declared by the config file or the environment, not by the operators. */
export interface DeclaredCatalog {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** The declarations in the file, by model. Models that were discovered at an upstream have no declaration. */
  readonly declaredModels?: ReadonlyMap<string, DeclaredModel>;
  readonly priceLists?: readonly PriceList[];
  readonly endpoints?: readonly OptionalEndpoint[] | undefined;
}

/** A change of an operator's model. A new model, or a change of a model's state, comes with an announcement. */
export interface ModelUpdate extends Update<DeclaredModel> {
  readonly announcement?: Announcement | undefined;
  /** The time when the model was archived, or null to restore it. Undefined to leave it unchanged. */
  readonly archivedAtMs?: number | null | undefined;
}

/** Models of all origins, the upstreams that serve them, and price lists, by id; and the optional endpoints that are on. */
export interface CallableCatalog {
  readonly catalog: Catalog;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly priceLists: ReadonlyMap<string, PriceList>;
  readonly endpoints: ReadonlySet<OptionalEndpoint>;
}

/** A declaration of an origin, which replaces its earlier declaration. */
export interface Declaration {
  readonly declared: DeclaredCatalog;
  /** Announcements of models whose state changed. */
  readonly announcements: readonly Announcement[];
  /** For the audit log, if the declaration has changed. */
  readonly change?: Change | undefined;
  /** Writes of other stores that belong to the declaration. */
  readonly together?: readonly PreparedWrite[];
}

/** The read port of the gateway. Served from memory. */
export interface CatalogReader {
  /**
   * The current models, immutable. A request takes one snapshot and uses it until it ends. With the id of a price list, the models have its
   * prices; with an unknown id, their base prices.
   */
  snapshot(priceList?: string | null): Catalog;
  /** The current upstreams, by id. Unchanged settings stay the same object. */
  upstreams(): ReadonlyMap<string, UpstreamSettings>;
  /** The current price lists, by id. */
  priceLists(): ReadonlyMap<string, PriceList>;
  /** The optional endpoints that are on. */
  endpoints(): ReadonlySet<OptionalEndpoint>;
}

/**
 * The catalog: models, their price lists, the upstreams that serve them, and the optional endpoints that are on. The database stores the records of operators. The config file
 * and the environment declare their records again at every start. If the same id exists more than once, the file takes precedence over an
 * operator, and an operator over the environment. Everything except `announcements` is served from memory. While the database cannot be
 * written, writes throw `StorageUnavailable` and change nothing. When a write resolves, the change is in force and durable, with its entry
 * in the audit log. `make` may be called more than once. Its argument is the operator's record, whichever origin has precedence. It may
 * read the whole catalog, because a change is applied only to the catalog that it was made from: models depend on upstreams and on each
 * other.
 */
export interface CatalogStore extends CatalogReader {
  originOfModel(id: string): Origin;
  originOfUpstream(id: string): Origin;
  originOfPriceList(id: string): Exclude<Origin, "environment">;
  originOfEndpoint(id: OptionalEndpoint): Exclude<Origin, "environment">;
  /** The last declaration of an origin by this process. */
  declared(origin: Exclude<Origin, "operator">): DeclaredCatalog;
  /** The declaration of a model of an operator or of the file, as the base of a change. */
  declaredModel(id: string): DeclaredModel | undefined;
  /** The time when an operator's model was archived, which hides it from lists. Null if it is not archived. */
  archivedAtMs(modelId: string): number | null;
  /** The declaration of an operator's price list, as the base of a change. */
  declaredPriceList(id: string): DeclaredPriceList | undefined;

  /**
   * Replaces all models and upstreams of an origin, together with the prepared writes of other stores, all or none. `make` may read those
   * stores too. Requests in flight keep their snapshot.
   */
  declare<Made extends Declaration | undefined>(origin: Exclude<Origin, "operator">, make: () => Made): Promise<Made>;
  /**
   * Puts the models and upstreams of a file in force that another process has declared. Call this only while nothing else changes the
   * catalog, with the writer of that exclusive work. Throws `StorageUnavailable`.
   */
  adoptFile(declared: DeclaredCatalog, writer: RecordWriter): Promise<void>;
  /** Adds or changes an operator's model. Throws if `toModel` rejects the declaration, so `make` checks it first. */
  updateModel<Made extends ModelUpdate | undefined>(id: string, make: MakeChange<DeclaredModel, Made>): Promise<Made>;
  /**
   * Deletes an operator's model if `make` returns a change for the audit log. Its announcements and prices stay on record. A model with the
   * same id from another origin takes its place.
   */
  removeModel<Made extends AuditedChange | undefined>(id: string, make: MakeChange<DeclaredModel, Made>): Promise<Made>;
  /** Adds or changes an operator's upstream. Its credentials are stored encrypted. */
  updateUpstream<Made extends Update<UpstreamSettings> | undefined>(id: string, make: MakeChange<UpstreamSettings, Made>): Promise<Made>;
  /**
   * Deletes an operator's upstream if `make` returns a change for the audit log. An upstream with the same id from another origin takes its
   * place.
   */
  removeUpstream<Made extends AuditedChange | undefined>(id: string, make: MakeChange<UpstreamSettings, Made>): Promise<Made>;
  /** Adds or changes an operator's price list. Throws if `toPriceList` rejects the declaration, so `make` checks it first. */
  updatePriceList<Made extends Update<DeclaredPriceList> | undefined>(id: string, make: MakeChange<DeclaredPriceList, Made>): Promise<Made>;
  /** Deletes an operator's price list if `make` returns a change for the audit log. Its prices stay on record. */
  removePriceList<Made extends AuditedChange | undefined>(id: string, make: MakeChange<DeclaredPriceList, Made>): Promise<Made>;

  /** Turns an endpoint on or off for operators. `make` gets whether it is on. */
  updateEndpoint<Made extends Update<boolean> | undefined>(id: OptionalEndpoint, make: MakeChange<boolean, Made>): Promise<Made>;

  /** The models that upstreams have listed, by upstream. */
  discovered(): ReadonlyMap<string, DiscoveredModels>;
  /** Replaces the models that an upstream has listed. From now on wildcard models expand to these models. */
  recordDiscovered(found: DiscoveredModels): Promise<void>;
  /** Deletes the models that an upstream has listed. Removing the upstream deletes them too. */
  forgetDiscovered(upstream: string): Promise<void>;

  /** Dry run: the catalog of all origins with this declaration of one origin. Nothing changes. */
  preview(origin: Exclude<Origin, "operator">, declared: DeclaredCatalog): CallableCatalog;

  /** Dry run: a model of an operator or of the file with this declaration and state. Nothing changes. */
  previewModel(declared: DeclaredModel, state: ModelState): Model;

  /** The last announcement of each model that has ever existed. */
  lastAnnouncements(): readonly Announcement[];
  /** The last announcement of a model, whether or not the model still exists. */
  lastAnnouncement(modelId: string): Announcement | undefined;
  /** The announcement that moved a model into this state: the first one, because states never move back. */
  firstAnnouncement(modelId: string, state: ModelState["name"]): Announcement | undefined;
  /** Announcements with an id below `before`, newest first, of all models or of one. Read from the database. */
  announcements(before: number, limit: number, modelId?: string): Promise<readonly RecordedAnnouncement[]>;

  /**
   * Calls the listener after each change of the models, upstreams, price lists or endpoints of any origin, in the turn of the event loop in which the
   * change comes into force.
   */
  onChange(listener: () => void): void;
}
