import { operators } from "../../../access/access.ts";
import { describeWebhook, PAUSED_BY_OPERATOR, type Webhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { checkUrl } from "./check-url.ts";
import { existingWebhook } from "./find-webhook.ts";
import { webhookFields, webhookSchema, type WireWebhook } from "./webhook-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** PATCH /api/webhooks/:id: updates the given fields. */
export function updateWebhook(platform: Platform): Operation {
  return operation<WireWebhook>({
    method: "PATCH",
    path: "/api/webhooks/:id",
    access: operators("alerts:write"),
    operationId: "updateWebhook",
    summary: "Update a webhook. Only the given fields change. Deliveries that were pending when it was paused are sent when it resumes.",
    body: { title: "UpdateWebhookRequest", type: "object", additionalProperties: false, properties: webhookFields },
    reply: { status: 200, description: "The updated webhook.", json: webhookSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.webhooks.update(id, (current) => {
        const webhook = existingWebhook(current, id);
        const changed = changeWebhook(webhook, body);
        checkUrl(changed);
        const what = { before: describeWebhook(webhook), after: describeWebhook(changed) };
        return { record: changed, change: change("webhook.update", { kind: "webhook", id }, what) };
      });
      platform.wakeDeliveries();
      return Reply.json(describeWebhook(record));
    },
  });
}

function changeWebhook(webhook: Webhook, { name, url, allow_private: allowPrivate, alerts, paused }: WireWebhook): Webhook {
  return {
    ...webhook,
    name: name ?? webhook.name,
    url: url ?? webhook.url,
    allowPrivate: allowPrivate ?? webhook.allowPrivate,
    kinds: alerts === undefined ? webhook.kinds : alerts,
    paused: pausedBy(paused, webhook.paused),
  };
}

function pausedBy(wanted: boolean | undefined, before: string | null): string | null {
  if (wanted === undefined) return before;
  return wanted ? (before ?? PAUSED_BY_OPERATOR) : null;
}
