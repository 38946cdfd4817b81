import type { Compilable } from "kysely";
import type { Make, Recorded, Update } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";
import type { Database } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { Vault } from "../vault.ts";
import type { WebhookStore } from "./webhook-store.ts";
import { fromRow, isOutdated, toRow } from "./webhook-table.ts";

/** Webhooks in a database, all of them in memory too. */
export class SqlWebhookStore implements WebhookStore {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #webhooks: Map<string, Webhook>;

  /** Secrets that were encrypted with the old secret are encrypted again. */
  static async open(database: Database, vault: Vault): Promise<SqlWebhookStore> {
    const rows = await database.selectFrom("webhooks").selectAll().execute();
    const webhooks = new Map(rows.map((row) => [row.id, fromRow(row, vault)]));
    const resealed = rows
      .filter((row) => isOutdated(row, vault))
      .map(({ id }) => {
        const { secret, previous_secret } = toRow(webhooks.get(id)!, vault);
        return database.updateTable("webhooks").set({ secret, previous_secret }).where("id", "=", id);
      });
    await database.write(...resealed);
    return new SqlWebhookStore(database, vault, webhooks);
  }

  private constructor(database: Database, vault: Vault, webhooks: Map<string, Webhook>) {
    this.#database = database;
    this.#vault = vault;
    this.#webhooks = webhooks;
  }

  find(id: string): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  list(): readonly Webhook[] {
    return [...this.#webhooks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  update<Made extends Update<Webhook> | undefined>(id: string, make: Make<Webhook, Made>): Promise<Made> {
    return this.#database.change(
      "webhook",
      [id],
      () => make(this.#webhooks.get(id)),
      ({ record, change }) => ({
        statements: [this.#upsert(record), recordChange(this.#database, change)],
        apply: () => this.#webhooks.set(id, record),
      }),
    );
  }

  remove<Made extends Recorded | undefined>(id: string, make: Make<Webhook, Made>): Promise<Made> {
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
        apply: () => this.#webhooks.delete(id),
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
