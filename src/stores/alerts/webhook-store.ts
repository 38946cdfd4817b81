import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";

/**
 * The webhooks that alerts are sent to. While the database cannot be written, writes throw `StorageUnavailable` and change nothing. `make`
 * may be called more than once, and may list the webhooks.
 */
export interface WebhookStore {
  /** The webhook with this id. Served from memory. */
  find(id: string): Webhook | undefined;
  /** All webhooks, by id. There are few, so the list has no pages. */
  list(): readonly Webhook[];
  /**
   * Changes a webhook, or adds the webhook that `make` returns for an unknown id. The change is in force and durable when this resolves.
   * Secrets are stored encrypted.
   */
  update<Made extends Update<Webhook> | undefined>(id: string, make: MakeChange<Webhook, Made>): Promise<Made>;
  /**
   * Deletes a webhook with all of its deliveries, pending or ended, if `make` returns a change for the audit log. Durable when this
   * resolves.
   */
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Webhook, Made>): Promise<Made>;
}
