import type { Announcement, Catalog, Model, ModelState, Origin } from "../../models/catalog.ts";
import type { Change, Make, Recorded, Update } from "../../access/change.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import type { DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import type { PriceList } from "../../models/prices/price-list.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { DiscoveredModels } from "../../models/wildcard.ts";
import type { PreparedWrite, RecordWriter } from "../database.ts";

/** An announcement with its id. Ids increase. */
export type RecordedAnnouncement = Announcement & { readonly id: number };

/** The models and upstreams of one origin other than the operators: the config file or the environment. */
export interface Declared {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** The declarations in the file, by model. Models that were discovered at an upstream have none. */
  readonly declaredModels?: ReadonlyMap<string, DeclaredModel>;
  readonly priceLists?: readonly PriceList[];
}

/** A change of an operator's model. A new model, and one whose state moves, comes with an announcement. */
export interface ModelUpdate extends Update<DeclaredModel> {
  readonly announcement?: Announcement | undefined;
  /** Since when it is archived, or null to restore it. Undefined where that stays as it is. */
  readonly archivedAtMs?: number | null | undefined;
}

/** Models of all origins, the upstreams that serve them, and price lists, by id. */
export interface Callable {
  readonly catalog: Catalog;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly priceLists: ReadonlyMap<string, PriceList>;
}

/** A declaration of an origin, in the place of its earlier one. */
export interface Declaration {
  readonly declared: Declared;
  /** Of the models that moved. */
  readonly announcements: readonly Announcement[];
  /** For the audit log, where the declaration has changed. */
  readonly change?: Change | undefined;
  /** The writes of other stores that belong to it. */
  readonly together?: readonly PreparedWrite[];
}

/** The read port of the gateway. Served from memory. */
export interface CatalogReader {
  /**
   * The current models, immutable. A request takes one snapshot and uses it to its end. With the price list of an account, they have its
   * prices; with one that does not exist, their base prices.
   */
  snapshot(priceList?: string | null): Catalog;
  /** The current upstreams, by id. Settings that did not change stay the same object. */
  upstreams(): ReadonlyMap<string, UpstreamSettings>;
  /** The current price lists, by id. */
  priceLists(): ReadonlyMap<string, PriceList>;
}

/**
 * The catalog: models, their price lists, and the upstreams that serve them. Those of operators are stored. Those of the config file and of the environment
 * are declared again at every start. Under the same id, the file's takes precedence over an operator's, and an operator's over the
 * environment's. Everything but `announcements` is served from memory. Writes throw `StorageUnavailable` while the database cannot be
 * written; nothing has changed then. Where they resolve, the change is in force and durable, with its record in the audit log.
 * `make` may be called more than once. Its argument is the operator's own model or upstream, whichever origin has precedence. It may read
 * the whole catalog, because a change is applied only to the catalog that it was made from: models depend on upstreams and on each other.
 */
export interface CatalogStore extends CatalogReader {
  originOfModel(id: string): Origin;
  originOfUpstream(id: string): Origin;
  originOfPriceList(id: string): Exclude<Origin, "environment">;
  /** What this process has declared last for an origin. */
  declared(origin: Exclude<Origin, "operator">): Declared;
  /** The declaration of an operator's or the file's model, as the base of a change. */
  declaredModel(id: string): DeclaredModel | undefined;
  /** Since when an operator's model is archived: hidden from lists. Null where it is not. */
  archivedAtMs(modelId: string): number | null;
  /** The declaration of an operator's price list, as the base of a change. */
  declaredPriceList(id: string): DeclaredPriceList | undefined;

  /**
   * Replaces all models and upstreams of an origin, together with the writes that other stores have prepared: all or none. `make` may read
   * those stores too. Requests in flight keep their snapshot.
   */
  declare<Made extends Declaration | undefined>(origin: Exclude<Origin, "operator">, make: () => Made): Promise<Made>;
  /**
   * Puts a file's models and upstreams in force in this process: another process has declared them. To be called where nothing else changes
   * the catalog meanwhile, with the writer of that exclusive work. Throws `StorageUnavailable`.
   */
  adoptFile(declared: Declared, writer: RecordWriter): Promise<void>;
  /** Adds or changes an operator's model. Throws where `toModel` rejects the declaration, so `make` checks it first. */
  updateModel<Made extends ModelUpdate | undefined>(id: string, make: Make<DeclaredModel, Made>): Promise<Made>;
  /**
   * Deletes an operator's model, where `make` returns its change for the audit log. Its announcements and prices stay on record. One with the
   * same id of another origin takes its place.
   */
  removeModel<Made extends Recorded | undefined>(id: string, make: Make<DeclaredModel, Made>): Promise<Made>;
  /** Adds or changes an operator's upstream. Its credentials are stored encrypted. */
  updateUpstream<Made extends Update<UpstreamSettings> | undefined>(id: string, make: Make<UpstreamSettings, Made>): Promise<Made>;
  /**
   * Deletes an operator's upstream, where `make` returns its change for the audit log. One with the same id of another origin takes its
   * place.
   */
  removeUpstream<Made extends Recorded | undefined>(id: string, make: Make<UpstreamSettings, Made>): Promise<Made>;
  /** Adds or changes an operator's price list. Throws where `toPriceList` rejects the declaration, so `make` checks it first. */
  updatePriceList<Made extends Update<DeclaredPriceList> | undefined>(id: string, make: Make<DeclaredPriceList, Made>): Promise<Made>;
  /** Deletes an operator's price list, where `make` returns its change for the audit log. Its prices stay on record. */
  removePriceList<Made extends Recorded | undefined>(id: string, make: Make<DeclaredPriceList, Made>): Promise<Made>;

  /** The models that upstreams have listed, by upstream. */
  discovered(): ReadonlyMap<string, DiscoveredModels>;
  /** Replaces the models that an upstream has listed: wildcard models stand for them from now on. */
  recordDiscovered(found: DiscoveredModels): Promise<void>;
  /** Deletes the models that an upstream has listed. The removal of an upstream deletes them, too. */
  forgetDiscovered(upstream: string): Promise<void>;

  /** Dry run: the catalog of all origins if this origin declared this. Nothing changes. */
  preview(origin: Exclude<Origin, "operator">, declared: Declared): Callable;

  /** Dry run: an operator's or the file's model with this declaration and state. Nothing changes. */
  previewModel(declared: DeclaredModel, state: ModelState): Model;

  /** The last announcement of every model that ever existed. */
  lastAnnouncements(): readonly Announcement[];
  /** The last announcement of a model, whether or not the model still exists. */
  lastAnnouncement(modelId: string): Announcement | undefined;
  /** The announcement that moved a model into this state: the first one, because states never move back. */
  firstAnnouncement(modelId: string, state: ModelState["name"]): Announcement | undefined;
  /** Announcements with an id below `before`, newest first, of all models or of one. Read from the database. */
  announcements(before: number, limit: number, modelId?: string): Promise<readonly RecordedAnnouncement[]>;

  /** Calls the listener after each change of the models, upstreams or price lists, of whichever origin, in the turn of the event loop in which it comes into force. */
  onChange(listener: () => void): void;
}
