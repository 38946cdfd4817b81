import { operators } from "../../../access/access.ts";
import { describeWebhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findWebhook } from "./find-webhook.ts";
import { webhookSchema } from "./webhook-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** DELETE /api/webhooks/:id: removes a webhook with its pending deliveries and their log. */
export function removeWebhook(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/webhooks/:id",
    access: operators("alerts:write"),
    operationId: "removeWebhook",
    summary: "Remove a webhook and its deliveries",
    reply: { status: 200, description: "The removed webhook.", json: webhookSchema },
    async run({ param, change }) {
      const webhook = findWebhook(param("id"), platform);
      const before = describeWebhook(webhook);
      await platform.webhooks.remove(webhook.id, change("webhook.remove", { kind: "webhook", id: webhook.id }, { before, after: null }));
      return Reply.json(before);
    },
  });
}
