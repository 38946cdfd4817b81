import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { deliverySchema, viewDelivery } from "./delivery-view.ts";
import { findWebhook } from "./find-webhook.ts";

/** POST /api/webhooks/:id/test: sends a test message immediately. The status is 200 whether or not it was delivered. */
export function testWebhook(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/test",
    access: operators("alerts:write"),
    operationId: "testWebhook",
    summary: "Test a webhook: send a `webhook.test` message immediately, even when the webhook is paused. It is not retried.",
    reply: { status: 200, description: "The delivery, with its single attempt.", json: deliverySchema },
    run: async ({ param }) => viewDelivery(await platform.testWebhook(findWebhook(param("id"), platform))),
  });
}
