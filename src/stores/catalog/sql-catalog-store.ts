import type { Compilable } from "kysely";
import type { Announcement, Catalog, Model, ModelState, Origin } from "../../models/catalog.ts";
import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { OptionalEndpoint } from "../../money/attribution.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import type { DiscoveredModels } from "../../models/wildcard.ts";
import type { DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import type { PriceList } from "../../models/prices/price-list.ts";
import { reuseUpstreamIfEqual, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { ChangeListeners } from "../change-listeners.ts";
import type { Database, PreparedWrite, RecordCache, RecordReader, RecordWriter } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { Vault } from "../vault.ts";
import { fromRow, toRow } from "./announcement-table.ts";
import type { CallableCatalog, CatalogStore, Declaration, DeclaredCatalog, ModelUpdate, RecordedAnnouncement } from "./catalog-store.ts";
import {
  composeCatalog,
  newPricesIn,
  NO_RECORDS,
  withDeclared,
  without,
  withoutRemovedLists,
  type ComposedCatalog,
  type DefaultPrices,
  type StoredCatalog,
  type StoredModel,
} from "./compose-catalog.ts";
import { withPrices } from "./price-discovered.ts";
import { loadCatalog, withAnnouncements } from "./load-catalog.ts";
import { resealCatalog, writeModel } from "./model-json.ts";
import { fromDiscovered } from "./discovered-models-table.ts";
import { sealUpstream } from "./open-upstreams.ts";
import type { Price } from "../../money/price.ts";
import { toRow as toPriceRow } from "./price-table.ts";

interface CatalogOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly defaultPrices: DefaultPrices;
}

/** Models and upstreams in a database, with a copy of all of them in memory. */
export class SqlCatalogStore implements CatalogStore, RecordCache {
  readonly #options: CatalogOptions;
  readonly #database: Database;
  readonly #recordedPrices = new Set<string>();
  readonly #listeners = new ChangeListeners<[]>();
  #all: ComposedCatalog;

  /** Opens the store, and encrypts credentials again that were encrypted with the old secret. */
  static async open(options: CatalogOptions): Promise<SqlCatalogStore> {
    const { database, vault } = options;
    const store = new SqlCatalogStore(options);
    await database.cache("catalog", store);
    await resealCatalog(database, vault);
    return store;
  }

  private constructor(options: CatalogOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#all = composeCatalog(NO_RECORDS, options.defaultPrices);
  }

  /** Reloads the whole catalog: its models depend on upstreams and announcements. The declarations of the file and the environment stay. */
  async reload(_ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const next = this.#compose({ ...this.#all.stored, ...(await loadCatalog(reader, this.#options, this.#all.stored)) });
    await reader.write(...this.#recordPrices(next));
    this.#putInForce(next);
  }

  snapshot(priceList: string | null = null): Catalog {
    const { catalog, catalogs } = this.#all;
    return priceList === null ? catalog : (catalogs.get(priceList) ?? catalog);
  }

  priceLists(): ReadonlyMap<string, PriceList> {
    return this.#all.priceLists;
  }

  upstreams(): ReadonlyMap<string, UpstreamSettings> {
    return this.#all.upstreams;
  }

  endpoints(): ReadonlySet<OptionalEndpoint> {
    return this.#all.endpoints;
  }

  originOfModel(id: string): Origin {
    const { file, models } = this.#all.stored;
    const declaredId = this.#all.catalog.get(id)?.expandedFrom ?? id;
    if (file.catalog.has(declaredId)) return "file";
    return models.has(declaredId) ? "operator" : "environment";
  }

  originOfUpstream(id: string): Origin {
    const { file, upstreams } = this.#all.stored;
    if (file.upstreams.some((upstream) => upstream.id === id)) return "file";
    return upstreams.has(id) ? "operator" : "environment";
  }

  originOfPriceList(id: string): Exclude<Origin, "environment"> {
    return this.#all.stored.file.priceLists?.some((list) => list.id === id) ? "file" : "operator";
  }

  originOfEndpoint(id: OptionalEndpoint): Exclude<Origin, "environment"> {
    return this.#all.stored.file.endpoints?.includes(id) ? "file" : "operator";
  }

  declared(origin: Exclude<Origin, "operator">): DeclaredCatalog {
    return this.#all.stored[origin];
  }

  declaredModel(id: string): DeclaredModel | undefined {
    const { file, models } = this.#all.stored;
    return file.catalog.has(id) ? file.declaredModels?.get(id) : models.get(id)?.declared;
  }

  archivedAtMs(modelId: string): number | null {
    const { file, models } = this.#all.stored;
    return file.catalog.has(modelId) ? null : (models.get(modelId)?.archivedAtMs ?? null);
  }

  declaredPriceList(id: string): DeclaredPriceList | undefined {
    return this.#all.stored.priceLists.get(id);
  }

  declare<Made extends Declaration | undefined>(origin: Exclude<Origin, "operator">, make: () => Made): Promise<Made> {
    return this.#database.change("catalog", [origin], make, (made) => this.#prepareDeclaration(origin, made));
  }

  #prepareDeclaration(origin: Exclude<Origin, "operator">, { declared, announcements, change, together = [] }: Declaration): PreparedWrite {
    const { stored } = this.#all;
    const next = this.#compose({ ...stored, [origin]: declared, announcements: withAnnouncements(stored.announcements, announcements) });
    // One statement for each announcement: a single statement for a long file would exceed SQLite's limit on parameters.
    const announcing = announcements.map((each) => this.#database.insertInto("announcements").values(toRow(each)));
    const recording = change ? [recordChange(this.#database, change)] : [];
    const prepared = this.#prepare(next, ...together.flatMap(({ statements }) => statements), ...announcing, ...recording);
    return {
      ...prepared,
      alsoChanged: together.flatMap(({ alsoChanged = [] }) => alsoChanged),
      apply: () => {
        for (const { apply } of together) apply();
        prepared.apply();
      },
    };
  }

  async adoptFile(declared: DeclaredCatalog, writer: RecordWriter): Promise<void> {
    const next = this.#compose({ ...this.#all.stored, file: declared });
    await writer.write(...this.#recordPrices(next));
    this.#putInForce(next);
  }

  updateModel<Made extends ModelUpdate | undefined>(id: string, make: MakeChange<DeclaredModel, Made>): Promise<Made> {
    return this.#database.change(
      "catalog",
      [id],
      () => make(this.#all.stored.models.get(id)?.declared),
      (made) => this.#prepareModel(id, made),
    );
  }

  #prepareModel(id: string, { record: declared, announcement, change, archivedAtMs }: ModelUpdate): PreparedWrite {
    const { stored } = this.#all;
    const before = stored.models.get(id) ?? { createdAtMs: change.atMs, archivedAtMs: null };
    const model = { ...before, declared, ...(archivedAtMs !== undefined && { archivedAtMs }) };
    const next = this.#compose({
      ...stored,
      models: new Map(stored.models).set(id, model),
      announcements: announcement ? withAnnouncements(stored.announcements, [announcement]) : stored.announcements,
    });
    const announcing = announcement ? [this.#database.insertInto("announcements").values(toRow(announcement))] : [];
    return this.#prepare(
      next,
      upsertModel(this.#database, model, this.#options.vault),
      ...announcing,
      recordChange(this.#database, change),
    );
  }

  removeModel<Made extends AuditedChange | undefined>(id: string, make: MakeChange<DeclaredModel, Made>): Promise<Made> {
    return this.#remove("models", "models", id, () => make(this.#all.stored.models.get(id)?.declared));
  }

  updateUpstream<Made extends Update<UpstreamSettings> | undefined>(id: string, make: MakeChange<UpstreamSettings, Made>): Promise<Made> {
    return this.#database.change(
      "catalog",
      [id],
      () => make(this.#all.stored.upstreams.get(id)),
      (made) => this.#prepareUpstream(id, made),
    );
  }

  #prepareUpstream(id: string, { record: upstream, change }: Update<UpstreamSettings>): PreparedWrite {
    const { stored } = this.#all;
    const next = this.#compose({
      ...stored,
      upstreams: new Map(stored.upstreams).set(id, reuseUpstreamIfEqual(stored.upstreams.get(id), upstream)),
    });
    return this.#prepare(
      next,
      upsertUpstream(this.#database, upstream, this.#options.vault, change.atMs),
      recordChange(this.#database, change),
    );
  }

  removeUpstream<Made extends AuditedChange | undefined>(id: string, make: MakeChange<UpstreamSettings, Made>): Promise<Made> {
    return this.#remove("upstreams", "upstreams", id, () => make(this.#all.stored.upstreams.get(id)));
  }

  updatePriceList<Made extends Update<DeclaredPriceList> | undefined>(
    id: string,
    make: MakeChange<DeclaredPriceList, Made>,
  ): Promise<Made> {
    return this.#database.change(
      "catalog",
      [id],
      () => make(this.#all.stored.priceLists.get(id)),
      ({ record, change }) => {
        const next = this.#compose({ ...this.#all.stored, priceLists: new Map(this.#all.stored.priceLists).set(id, record) });
        return this.#prepare(next, upsertPriceList(this.#database, record, change.atMs), recordChange(this.#database, change));
      },
    );
  }

  removePriceList<Made extends AuditedChange | undefined>(id: string, make: MakeChange<DeclaredPriceList, Made>): Promise<Made> {
    return this.#remove("priceLists", "price_lists", id, () => make(this.#all.stored.priceLists.get(id)));
  }

  updateEndpoint<Made extends Update<boolean> | undefined>(id: OptionalEndpoint, make: MakeChange<boolean, Made>): Promise<Made> {
    return this.#database.change(
      "catalog",
      [id],
      () => make(this.#all.stored.endpoints.has(id)),
      ({ record: isOn, change }) => {
        const { stored } = this.#all;
        const others = new Set([...stored.endpoints].filter((each) => each !== id));
        const next = this.#compose({ ...stored, endpoints: isOn ? others.add(id) : others });
        return this.#prepare(next, writeEndpoint(this.#database, id, isOn, change.atMs), recordChange(this.#database, change));
      },
    );
  }

  #remove<Made extends AuditedChange | undefined>(
    kind: "models" | "upstreams" | "priceLists",
    table: "models" | "upstreams" | "price_lists",
    id: string,
    make: () => Made,
  ): Promise<Made> {
    return this.#database.change("catalog", [id], make, ({ change }) => {
      const { stored } = this.#all;
      const next = this.#compose({ ...stored, [kind]: without<unknown>(stored[kind], id) });
      return this.#prepare(next, this.#database.deleteFrom(table).where("id", "=", id), recordChange(this.#database, change));
    });
  }

  discovered(): ReadonlyMap<string, DiscoveredModels> {
    return this.#all.stored.discovered;
  }

  async recordDiscovered(found: DiscoveredModels): Promise<void> {
    const prepare = (): PreparedWrite => {
      const { stored } = this.#all;
      const priced = withPrices(found, this.#options.defaultPrices, stored.discovered.get(found.upstream));
      const next = this.#compose({ ...stored, discovered: new Map(stored.discovered).set(found.upstream, priced) });
      return this.#prepare(next, upsertDiscovered(this.#database, found));
    };
    // The upstream may have been removed while it listed its models.
    await this.#database.change("catalog", [found.upstream], () => (this.#all.upstreams.has(found.upstream) ? found : undefined), prepare);
  }

  async forgetDiscovered(upstream: string): Promise<void> {
    const make = (): DiscoveredModels | undefined => this.#all.stored.discovered.get(upstream);
    await this.#database.change("catalog", [upstream], make, () => {
      const { stored } = this.#all;
      return this.#prepare(this.#compose({ ...stored, discovered: without(stored.discovered, upstream) }));
    });
  }

  preview(origin: Exclude<Origin, "operator">, declared: DeclaredCatalog): CallableCatalog {
    return this.#compose({ ...this.#all.stored, [origin]: declared });
  }

  previewModel(declared: DeclaredModel, state: ModelState): Model {
    return { ...this.#compose(withDeclared(this.#all, declared)).catalog.get(declared.id)!, state };
  }

  lastAnnouncements(): readonly Announcement[] {
    return [...this.#all.stored.announcements.values()].map((each) => each.at(-1)!);
  }

  lastAnnouncement(modelId: string): Announcement | undefined {
    return this.#all.stored.announcements.get(modelId)?.at(-1);
  }

  firstAnnouncement(modelId: string, state: ModelState["name"]): Announcement | undefined {
    return this.#all.stored.announcements.get(modelId)?.find((each) => each.state.name === state);
  }

  async announcements(before: number, limit: number, modelId?: string): Promise<readonly RecordedAnnouncement[]> {
    const all = this.#database.selectFrom("announcements").selectAll().where("id", "<", before).orderBy("id", "desc").limit(limit);
    const query = modelId === undefined ? all : all.where("model", "=", modelId);
    return (await query.execute()).map(fromRow);
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Puts a catalog in force. Its prices must be on record. */
  #putInForce(next: ComposedCatalog): void {
    const before = this.#all;
    this.#all = next;
    for (const { version } of newPricesIn(next, before)) this.#recordedPrices.add(version);
    const isSame =
      next.catalog === before.catalog &&
      next.upstreams === before.upstreams &&
      next.priceLists === before.priceLists &&
      next.endpoints === before.endpoints;
    if (!isSame) this.#listeners.publish();
  }

  /** A change that leads to this catalog: the given writes, and the writes that follow from it. */
  #prepare(next: ComposedCatalog, ...writes: readonly Compilable[]): PreparedWrite {
    const removed = [...this.#all.stored.discovered.keys()].filter((id) => !next.stored.discovered.has(id));
    const forgetting = removed.map((id) => deleteDiscovered(this.#database, id));
    return { statements: [...writes, ...forgetting, ...this.#recordPrices(next)], apply: () => this.#putInForce(next) };
  }

  #compose(stored: StoredCatalog): ComposedCatalog {
    return withoutRemovedLists(composeCatalog(stored, this.#options.defaultPrices, this.#all), this.#all);
  }

  /**
   * Records the new prices of a catalog together with the change that leads to it: ledger entries name price versions, which must be on
   * record.
   */
  #recordPrices(next: ComposedCatalog): Compilable[] {
    const unknown = newPricesIn(next, this.#all).filter(({ version }) => !this.#recordedPrices.has(version));
    return unknown.map((price) => recordPrice(this.#database, price));
  }
}

/** The statements that add, replace or delete records of the catalog. */

/** Adds or replaces a model. The headers of its routes are encrypted. */
function upsertModel(database: Database, { declared, createdAtMs, archivedAtMs }: StoredModel, vault: Vault): Compilable {
  const row = { declared: writeModel(declared, vault), created_at_ms: createdAtMs, archived_at_ms: archivedAtMs };
  return database
    .insertInto("models")
    .values({ id: declared.id, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

/** Adds or replaces an upstream. Its credentials and headers are encrypted. */
function upsertUpstream(database: Database, upstream: UpstreamSettings, vault: Vault, atMs: number): Compilable {
  const row = sealUpstream(upstream, vault);
  return database
    .insertInto("upstreams")
    .values({ id: upstream.id, ...row, created_at_ms: atMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

function upsertPriceList(database: Database, list: DeclaredPriceList, atMs: number): Compilable {
  const row = { declared: JSON.stringify(list) };
  return database
    .insertInto("price_lists")
    .values({ id: list.id, ...row, created_at_ms: atMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

function writeEndpoint(database: Database, id: OptionalEndpoint, isOn: boolean, atMs: number): Compilable {
  if (!isOn) return database.deleteFrom("endpoints").where("id", "=", id);
  return database
    .insertInto("endpoints")
    .values({ id, created_at_ms: atMs })
    .onConflict((conflict) => conflict.doNothing());
}

function upsertDiscovered(database: Database, discovered: DiscoveredModels): Compilable {
  const { upstream, ...row } = fromDiscovered(discovered);
  return database
    .insertInto("discovered_models")
    .values({ upstream, ...row })
    .onConflict((conflict) => conflict.column("upstream").doUpdateSet(row));
}

function deleteDiscovered(database: Database, upstream: string): Compilable {
  return database.deleteFrom("discovered_models").where("upstream", "=", upstream);
}

/** The statement that records a version of a price. Does nothing for a recorded version. */
export function recordPrice(database: Database, price: Price): Compilable {
  return database
    .insertInto("prices")
    .values(toPriceRow(price))
    .onConflict((conflict) => conflict.doNothing());
}
