import type { Compilable } from "kysely";
import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";
import { CachedRecords } from "../cached-records.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { Vault } from "../vault.ts";
import type { WebhookStore } from "./webhook-store.ts";
import { fromRow, isOutdated, toRow } from "./webhook-table.ts";

/** Webhooks in a database, with a copy of all of them in memory. */
export class SqlWebhookStore implements WebhookStore, RecordCache {
  readonly #database: Database;
  readonly #vault: Vault;
  /** Always reloaded: generic comparisons treat any two secrets as equal. */
  readonly #webhooks = new CachedRecords<Webhook>({ isSame: () => false });

  /** Opens the store, and encrypts secrets again that were encrypted with the old secret. */
  static async open(database: Database, vault: Vault): Promise<SqlWebhookStore> {
    const store = new SqlWebhookStore(database, vault);
    await database.cache("webhook", store);
    await store.#reseal();
    return store;
  }

  private constructor(database: Database, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("webhooks").selectAll();
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    this.#webhooks.replace(ids, new Map(rows.map((row) => [row.id, fromRow(row, this.#vault)])));
  }

  /** Encrypts outdated secrets again, unless another process has changed them meanwhile. */
  async #reseal(): Promise<void> {
    const rows = await this.#database.selectFrom("webhooks").selectAll().execute();
    const outdated = rows.filter((row) => isOutdated(row, this.#vault));
    const resealed = outdated.map((row) => {
      const { secret, previous_secret } = toRow(fromRow(row, this.#vault), this.#vault);
      const query = this.#database.updateTable("webhooks").set({ secret, previous_secret });
      return query.where("id", "=", row.id).where("secret", "=", row.secret);
    });
    await this.#database.write(...resealed);
  }

  find(id: string): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  list(): readonly Webhook[] {
    return [...this.#webhooks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  update<Made extends Update<Webhook> | undefined>(id: string, make: MakeChange<Webhook, Made>): Promise<Made> {
    return this.#database.change(
      "webhook",
      [id],
      () => make(this.#webhooks.get(id)),
      ({ record, change }) => ({
        statements: [this.#upsert(record), recordChange(this.#database, change)],
        apply: () => this.#webhooks.put(id, record),
      }),
    );
  }

  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Webhook, Made>): Promise<Made> {
    return this.#database.change(
      "webhook",
      [id],
      () => make(this.#webhooks.get(id)),
      ({ change }) => ({
        statements: [
          this.#database.deleteFrom("deliveries").where("webhook_id", "=", id),
          this.#database.deleteFrom("webhooks").where("id", "=", id),
          recordChange(this.#database, change),
        ],
        apply: () => this.#webhooks.remove(id),
      }),
    );
  }

  #upsert(webhook: Webhook): Compilable {
    const { id, ...changes } = toRow(webhook, this.#vault);
    return this.#database
      .insertInto("webhooks")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }
}
