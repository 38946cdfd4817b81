import type { Change } from "../../access/change.ts";
import type { Webhook } from "../../alerts/webhook.ts";

/** Keeps where alerts are sent to. */
export interface WebhookStore {
  find(id: string): Webhook | undefined;
  /** All of them, by id: there are few. */
  list(): readonly Webhook[];
  /** Adds a webhook, or puts a changed one in its place. In force and durable when this resolves. Its secrets are kept sealed. */
  put(webhook: Webhook, change: Change): Promise<void>;
  /** Removes it, with all that was to be sent to it and the log of what was. */
  remove(id: string, change: Change): Promise<void>;
}
