import type { Compilable } from "kysely";
import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { SavedView } from "../../access/saved-view.ts";
import { CachedRecords } from "../cached-records.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { SavedViewStore } from "./saved-view-store.ts";
import { fromRow, toRow } from "./saved-view-table.ts";

/** Saved views in a database, with a copy of all of them in memory. */
export class SqlSavedViewStore implements SavedViewStore, RecordCache {
  readonly #database: Database;
  readonly #views = new CachedRecords<SavedView>();

  static async open(database: Database): Promise<SqlSavedViewStore> {
    const store = new SqlSavedViewStore(database);
    await database.cache("saved_view", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("saved_views").selectAll();
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    this.#views.replace(ids, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  find(id: string): SavedView | undefined {
    return this.#views.get(id);
  }

  listOf(personId: string): readonly SavedView[] {
    const views = this.#views.values().filter((view) => view.personId === personId);
    return views.toArray().toSorted((a, b) => (a.name === b.name ? a.createdAtMs - b.createdAtMs : a.name < b.name ? -1 : 1));
  }

  update<Made extends Update<SavedView> | undefined>(id: string, make: MakeChange<SavedView, Made>): Promise<Made> {
    return this.#database.change(
      "saved_view",
      [id],
      () => make(this.#views.get(id)),
      ({ record, change }) => ({
        statements: [this.#upsert(record), recordChange(this.#database, change)],
        apply: () => this.#views.put(id, record),
      }),
    );
  }

  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<SavedView, Made>): Promise<Made> {
    return this.#database.change(
      "saved_view",
      [id],
      () => make(this.#views.get(id)),
      ({ change }) => ({
        statements: [this.#database.deleteFrom("saved_views").where("id", "=", id), recordChange(this.#database, change)],
        apply: () => this.#views.remove(id),
      }),
    );
  }

  #upsert(view: SavedView): Compilable {
    const { id, ...changes } = toRow(view);
    return this.#database
      .insertInto("saved_views")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }
}
