import { operators } from "../../../access/access.ts";
import { describeWebhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findWebhook } from "./find-webhook.ts";
import { webhookSchema } from "./webhook-view.ts";

/** GET /api/webhooks/:id: a webhook, without its secret. */
export function showWebhook(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks/:id",
    access: operators("alerts:read"),
    operationId: "showWebhook",
    summary: "Show a webhook, without its secret",
    reply: { status: 200, description: "The webhook.", json: webhookSchema },
    run: ({ param }) => describeWebhook(findWebhook(param("id"), platform)),
  });
}
