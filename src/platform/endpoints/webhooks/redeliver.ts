import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { deliverySchema, viewDelivery } from "./delivery-view.ts";
import { findDelivery, findWebhook } from "./find-webhook.ts";

/**
 * POST /api/webhooks/:id/deliveries/:deliveryId/redeliver: sends a delivery again now, whatever its state, with the full retry schedule.
 */
export function redeliver(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/deliveries/:deliveryId/redeliver",
    access: operators("alerts:write"),
    operationId: "redeliver",
    summary: "Redeliver a message under the same id. A failure is retried on the full schedule.",
    reply: { status: 200, description: "The delivery, which is now pending.", json: deliverySchema },
    async run({ param }) {
      const webhook = findWebhook(param("id"), platform);
      const { id } = await findDelivery(webhook, param("deliveryId"), platform);
      if (webhook.paused !== null) throw new ApiError("state_conflict", "This webhook is paused. Resume it first.");
      await platform.alerts.redeliver(id, platform.nowMs());
      platform.wakeDeliveries();
      return viewDelivery(await findDelivery(webhook, String(id), platform));
    },
  });
}
