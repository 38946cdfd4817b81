import type { Delivery } from "../../../stores/alerts/alert-store.ts";
import type { Webhook } from "../../../alerts/webhook.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

export function findWebhook(id: string, { webhooks }: Platform): Webhook {
  return existingWebhook(webhooks.find(id), id);
}

/** The same for the result of a search by id. */
export function existingWebhook(webhook: Webhook | undefined, id: string): Webhook {
  if (webhook) return webhook;
  throw unknownId("unknown_webhook", "webhook", id);
}

/** One of a webhook's deliveries. */
export async function findDelivery(webhook: Webhook, id: string, { alerts }: Platform): Promise<Delivery> {
  const delivery = /^\d{1,15}$/.test(id) ? await alerts.findDelivery(webhook.id, Number(id)) : undefined;
  if (delivery) return delivery;
  throw unknownId("unknown_delivery", "delivery", id);
}
