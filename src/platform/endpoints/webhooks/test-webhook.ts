import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { deliverySchema, viewDelivery } from "./delivery-view.ts";
import { findWebhook } from "./find-webhook.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** POST /api/webhooks/:id/test: sends a message at once and tells how it went. It answers 200 either way. */
export function testWebhook(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/test",
    access: operators("alerts:write"),
    operationId: "testWebhook",
    summary: "Sends a `webhook.test` at once, also where the webhook is paused, and tells what came back. It is not tried again.",
    reply: { status: 200, description: "The delivery, with its one try.", json: deliverySchema },
    run: async ({ param }) => Reply.json(viewDelivery(await platform.testWebhook(findWebhook(param("id"), platform)))),
  });
}
