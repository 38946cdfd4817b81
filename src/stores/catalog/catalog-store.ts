import type { Announcement, Catalog, Model, ModelState, Origin } from "../../models/catalog.ts";
import type { Change } from "../../access/change.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { PreparedWrite } from "../database.ts";

/** An announcement with its place among all. They count up. */
export type RecordedAnnouncement = Announcement & { readonly id: number };

/** Models and upstreams that somebody else decides about. */
export interface Declared {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** What a file says of its models. What was found has nothing said of it. */
  readonly declaredModels?: ReadonlyMap<string, DeclaredModel>;
}

/** Models of all origins, and the upstreams that serve them, by id. */
export interface Callable {
  readonly catalog: Catalog;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
}

/** What is told of models and upstreams that this store does not keep, but whose moves it remembers. */
export interface DeclarationRecord {
  readonly announcements: readonly Announcement[];
  readonly change?: Change | undefined;
}

/**
 * Keeps the models that there are and the upstreams that serve them. Those that operators make are kept for good. Those of the
 * config file or the environment are declared at every start: the file's take the place of an operator's with the same id, and
 * an operator's that of the environment's.
 */
export interface CatalogStore {
  /** The models as they are now. A request takes one snapshot and keeps to it. */
  snapshot(): Catalog;
  /** The upstreams as they are now, by id. Settings that did not change stay the same object. */
  upstreams(): ReadonlyMap<string, UpstreamSettings>;
  originOfModel(id: string): Origin;
  originOfUpstream(id: string): Origin;
  /** What an operator or the file has said of a model, to build a change on. */
  declaredModel(id: string): DeclaredModel | undefined;

  /**
   * Puts other models and upstreams in the place of all that this origin had, together with what is to be told of it and with
   * what another store has prepared: all of it, or nothing, before anything else can run. Requests under way keep what they have.
   */
  declare(origin: Exclude<Origin, "operator">, declared: Declared, told: DeclarationRecord, together?: PreparedWrite): Promise<void>;
  /**
   * Adds or changes an operator's model. The announcement goes with a new one, and with one whose state has moved. What is
   * declared must have been found good by `toModel`: nothing is kept otherwise.
   */
  putModel(declared: DeclaredModel, announcement: Announcement | undefined, change: Change): Promise<void>;
  /** Adds or changes an operator's upstream. Its credential is kept sealed. */
  putUpstream(upstream: UpstreamSettings, change: Change): Promise<void>;
  removeUpstream(id: string, change: Change): Promise<void>;

  /** What there would be to call, of all origins, if this one declared this. Nothing changes. */
  preview(origin: Exclude<Origin, "operator">, declared: Declared): Callable;

  /** What a model of an operator or of the file would be if this were said of it, and it were in this state. Nothing changes. */
  previewModel(declared: DeclaredModel, state: ModelState): Model;

  /** What was last told of every model that there ever was. */
  lastAnnouncements(): readonly Announcement[];
  /** What was last told of a model, whether or not it is still there. */
  lastAnnouncement(modelId: string): Announcement | undefined;
  /** What first told that a model is in this state: there is no way back, so that was its move. */
  firstAnnouncement(modelId: string, state: ModelState["name"]): Announcement | undefined;
  /** Announcements with an id below `before`, newest first; those of one model, where it is named. */
  announcements(before: number, limit: number, modelId?: string): Promise<readonly RecordedAnnouncement[]>;
}
