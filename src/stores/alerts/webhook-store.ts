import type { Change } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";

/** The webhooks that alerts are sent to. Writes throw `StorageUnavailable` while the database cannot be written; nothing has changed then. */
export interface WebhookStore {
  /** The webhook with this id. Served from memory. */
  find(id: string): Webhook | undefined;
  /** All webhooks, by id. There are few, so there are no pages. */
  list(): readonly Webhook[];
  /** Adds a webhook, or replaces the one with this id. In force and durable when this resolves. Its secrets are stored encrypted. */
  put(webhook: Webhook, change: Change): Promise<void>;
  /** Deletes a webhook with all of its deliveries, pending or ended. Durable when this resolves. */
  remove(id: string, change: Change): Promise<void>;
}
