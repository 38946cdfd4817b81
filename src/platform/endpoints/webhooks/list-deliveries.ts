import { operators } from "../../../access/access.ts";
import { DELIVERY_STATES } from "../../../alerts/delivery-state.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { deliverySchema, viewDelivery } from "./delivery-view.ts";
import { findWebhook } from "./find-webhook.ts";

/** GET /api/webhooks/:id/deliveries: a page of a webhook's deliveries, newest first. */
export function listDeliveries(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks/:id/deliveries",
    access: operators("alerts:read"),
    operationId: "listDeliveries",
    summary: "List a webhook's deliveries with their attempts, newest first. Ended deliveries are retained for 30 days.",
    query: { state: { type: "string", enum: DELIVERY_STATES, description: "Deliveries in this state." }, ...pageQuery },
    reply: { status: 200, description: "A page of deliveries.", json: pageSchema("DeliveryPage", deliverySchema) },
    async run({ param, query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number"]);
      const { id } = findWebhook(param("id"), platform);
      const deliveries = await platform.alerts.deliveries(id, query.state, after?.[0] ?? Number.MAX_SAFE_INTEGER, limit + 1);
      return toPage(cursors, deliveries, limit, viewDelivery, (delivery) => [delivery.id]);
    },
  });
}
