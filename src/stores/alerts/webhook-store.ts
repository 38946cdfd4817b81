import type { Make, Recorded, Update } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";

/**
 * The webhooks that alerts are sent to. Writes throw `StorageUnavailable` while the database cannot be written; nothing has changed then.
 * `make` may be called more than once, and may list the webhooks.
 */
export interface WebhookStore {
  /** The webhook with this id. Served from memory. */
  find(id: string): Webhook | undefined;
  /** All webhooks, by id. There are few, so there are no pages. */
  list(): readonly Webhook[];
  /**
   * Changes a webhook, or adds the one that `make` returns for an unknown id. In force and durable when this resolves. Its secrets are
   * stored encrypted.
   */
  update<Made extends Update<Webhook> | undefined>(id: string, make: Make<Webhook, Made>): Promise<Made>;
  /**
   * Deletes a webhook with all of its deliveries, pending or ended, where `make` returns its change for the audit log. Durable when this
   * resolves.
   */
  remove<Made extends Recorded | undefined>(id: string, make: Make<Webhook, Made>): Promise<Made>;
}
