import { operators } from "../../../access/access.ts";
import { describeWebhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingWebhook } from "./find-webhook.ts";
import { webhookSchema } from "./webhook-view.ts";

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
      const id = param("id");
      const { removed } = await platform.webhooks.remove(id, (current) => {
        const before = describeWebhook(existingWebhook(current, id));
        return { removed: before, change: change("webhook.remove", { kind: "webhook", id }, { before, after: null }) };
      });
      return removed;
    },
  });
}
