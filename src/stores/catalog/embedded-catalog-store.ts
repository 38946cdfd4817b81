import type { Announcement, Catalog, Model, Origin } from "../../vocabulary/catalog.ts";
import type { Change } from "../../vocabulary/change.ts";
import { toModel, type DeclaredModel } from "../../vocabulary/declared-model.ts";
import { fromUpstream } from "../../vocabulary/declared-upstream.ts";
import type { Price } from "../../vocabulary/price.ts";
import type { UpstreamSettings } from "../../vocabulary/upstream-settings.ts";
import type { Database } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { Vault } from "../vault.ts";
import { fromRow, toRow } from "./announcement-table.ts";
import type { CatalogStore, Declared, RecordedAnnouncement, Told } from "./catalog-store.ts";
import { openUpstreams, purposeOf } from "./open-upstreams.ts";

/** What providers publish: the price of a model at the upstream with this address. */
export type DefaultPrices = (baseUrl: string, upstreamModel: string) => readonly Price[];

/** An operator's model as it is kept. */
interface KeptModel {
  readonly declared: DeclaredModel;
  readonly createdAtMs: number;
}

const NOTHING: Declared = { upstreams: [], catalog: new Map() };

/** Models and upstreams in the embedded database, and in memory all that there are. This process is the only writer. */
export class EmbeddedCatalogStore implements CatalogStore {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #defaultPrices: DefaultPrices;
  readonly #models = new Map<string, KeptModel>();
  readonly #upstreams = new Map<string, UpstreamSettings>();
  readonly #last = new Map<string, Announcement>();
  #file = NOTHING;
  #environment = NOTHING;
  #snapshot: Catalog = new Map();
  #allUpstreams: ReadonlyMap<string, UpstreamSettings> = new Map();

  static async open(database: Database, vault: Vault, defaultPrices: DefaultPrices): Promise<EmbeddedCatalogStore> {
    const store = new EmbeddedCatalogStore(database, vault, defaultPrices);
    await store.#load();
    return store;
  }

  private constructor(database: Database, vault: Vault, defaultPrices: DefaultPrices) {
    this.#database = database;
    this.#vault = vault;
    this.#defaultPrices = defaultPrices;
  }

  async #load(): Promise<void> {
    for (const upstream of await openUpstreams(this.#database, this.#vault)) this.#upstreams.set(upstream.id, upstream);
    for (const row of await this.#database.selectFrom("models").selectAll().execute()) {
      this.#models.set(row.id, { declared: JSON.parse(row.declared) as DeclaredModel, createdAtMs: row.created_at_ms });
    }
    const announced = await this.#database.selectFrom("announcements").selectAll().orderBy("id").execute();
    for (const row of announced) this.#last.set(row.model, fromRow(row));
    this.#compose();
  }

  snapshot(): Catalog {
    return this.#snapshot;
  }

  upstreams(): ReadonlyMap<string, UpstreamSettings> {
    return this.#allUpstreams;
  }

  originOfModel(id: string): Origin {
    if (this.#file.catalog.has(id)) return "file";
    return this.#models.has(id) ? "operator" : "environment";
  }

  originOfUpstream(id: string): Origin {
    if (this.#file.upstreams.some((upstream) => upstream.id === id)) return "file";
    return this.#upstreams.has(id) ? "operator" : "environment";
  }

  declaredModel(id: string): DeclaredModel | undefined {
    return this.#models.get(id)?.declared;
  }

  async declare(origin: Exclude<Origin, "operator">, declared: Declared, { announcements, change }: Told): Promise<void> {
    // A statement for each: in one for all, a long file would have more values than SQLite takes.
    const telling = announcements.map((each) => this.#database.insertInto("announcements").values(toRow(each)));
    await this.#database.write(...telling, ...(change ? [recordChange(this.#database, change)] : []));
    for (const each of announcements) this.#last.set(each.model, each);
    if (origin === "file") this.#file = declared;
    else this.#environment = declared;
    this.#compose();
  }

  async putModel(model: Model, declared: DeclaredModel, announcement: Announcement | undefined, change: Change): Promise<void> {
    const { id } = model;
    const createdAtMs = this.#models.get(id)?.createdAtMs ?? change.atMs;
    const row = { declared: JSON.stringify(declared), created_at_ms: createdAtMs };
    const upsert = this.#database
      .insertInto("models")
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
    const telling = announcement ? [this.#database.insertInto("announcements").values(toRow(announcement))] : [];
    await this.#database.write(upsert, ...telling, recordChange(this.#database, change));
    this.#models.set(id, { declared, createdAtMs });
    if (announcement) this.#last.set(id, announcement);
    this.#compose();
  }

  async putUpstream(upstream: UpstreamSettings, change: Change): Promise<void> {
    const { id } = upstream;
    const credential = upstream.dialect === "echo" ? undefined : upstream.credential;
    const row = {
      declared: JSON.stringify(fromUpstream(upstream)),
      credential: credential === undefined ? null : this.#vault.seal(credential, purposeOf(id)),
    };
    const upsert = this.#database
      .insertInto("upstreams")
      .values({ id, ...row, created_at_ms: change.atMs })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
    await this.#database.write(upsert, recordChange(this.#database, change));
    this.#upstreams.set(id, upstream);
    this.#compose();
  }

  async removeUpstream(id: string, change: Change): Promise<void> {
    await this.#database.write(this.#database.deleteFrom("upstreams").where("id", "=", id), recordChange(this.#database, change));
    this.#upstreams.delete(id);
    this.#compose();
  }

  lastAnnouncement(modelId: string): Announcement | undefined {
    return this.#last.get(modelId);
  }

  async announcements(before: number, limit: number): Promise<readonly RecordedAnnouncement[]> {
    const query = this.#database.selectFrom("announcements").selectAll().where("id", "<", before).orderBy("id", "desc").limit(limit);
    return (await query.execute()).map(fromRow);
  }

  /** Puts together what there is, of the three origins. */
  #compose(): void {
    this.#allUpstreams = new Map([...byId(this.#environment.upstreams), ...this.#upstreams, ...byId(this.#file.upstreams)]);
    const own = [...this.#models].map(([id, kept]) => [id, this.#toModel(kept)] as const);
    this.#snapshot = new Map([...this.#environment.catalog, ...own, ...this.#file.catalog]);
  }

  #toModel({ declared, createdAtMs }: KeptModel): Model {
    const context = {
      createdSeconds: Math.floor(createdAtMs / 1000),
      state: this.#last.get(declared.id)!.state,
      defaultPrices: (route: { upstream: string; model: string }): readonly Price[] => {
        const upstream = this.#allUpstreams.get(route.upstream);
        return upstream === undefined || upstream.dialect === "echo" ? [] : this.#defaultPrices(upstream.baseUrl, route.model);
      },
    };
    return toModel(declared, context, (path, message) => {
      throw new Error(`the model ${declared.id} was kept with a fault: ${path.join(".")} ${message}`);
    });
  }
}

function byId(upstreams: readonly UpstreamSettings[]): [string, UpstreamSettings][] {
  return upstreams.map((each) => [each.id, each]);
}
