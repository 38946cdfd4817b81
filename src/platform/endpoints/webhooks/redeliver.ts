import { operators } from "../../../access/access.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { deliverySchema, viewDelivery } from "./delivery-view.ts";
import { findDelivery, findWebhook } from "./find-webhook.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** POST /api/webhooks/:id/deliveries/:deliveryId/send-again: sends it now, whatever has become of it, and tries on as at first. */
export function sendDeliveryAgain(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/deliveries/:deliveryId/send-again",
    access: operators("alerts:write"),
    operationId: "sendDeliveryAgain",
    summary: "Sends a message once more, under the same id. Where it fails, it is tried on as at first.",
    reply: { status: 200, description: "The delivery, which is pending now.", json: deliverySchema },
    async run({ param }) {
      const webhook = findWebhook(param("id"), platform);
      const { id } = await findDelivery(webhook, param("deliveryId"), platform);
      if (webhook.paused !== null) throw new GatewayError("move_refused", "This webhook is paused. Let it go on first.");
      await platform.alerts.sendAgain(id, platform.nowMs());
      platform.wakeDeliveries();
      return Reply.json(viewDelivery(await findDelivery(webhook, String(id), platform)));
    },
  });
}
