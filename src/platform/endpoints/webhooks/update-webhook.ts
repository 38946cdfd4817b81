import { operators } from "../../../access/access.ts";
import { hasSecretUrl } from "../../../alerts/channel-kind.ts";
import { changeDestination, describeWebhook, PAUSED_BY_OPERATOR, type Webhook } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { checkRoutingKey, checkUrl } from "./check-url.ts";
import { existingWebhook } from "./find-webhook.ts";
import { routingKeyField, webhookFields, webhookSchema, type WireWebhook } from "./webhook-view.ts";

/** PATCH /api/webhooks/:id: updates the given fields. */
export function updateWebhook(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/webhooks/:id",
    access: operators("alerts:write"),
    operationId: "updateWebhook",
    summary: "Update a webhook. Only the given fields change. Deliveries that were pending when it was paused are sent when it resumes.",
    body: {
      title: "UpdateWebhookRequest",
      type: "object",
      additionalProperties: false,
      properties: { ...webhookFields, ...routingKeyField },
    },
    reply: { status: 200, description: "The updated webhook.", json: webhookSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.webhooks.update(id, (current) => {
        const webhook = existingWebhook(current, id);
        checkRoutingKey(webhook.kind, body.routing_key);
        const changed = changeWebhook(webhook, body);
        checkUrl({ ...changed, url: body.url ?? currentUrl(webhook) });
        const what = { before: describeWebhook(webhook), after: describeWebhook(changed) };
        return { record: changed, change: change("webhook.update", { kind: "webhook", id }, what) };
      });
      platform.wakeDeliveries();
      return describeWebhook(record);
    },
  });
}

function currentUrl({ kind, url, secret }: Webhook): string {
  return hasSecretUrl(kind) ? secret.reveal() : url;
}

function changeWebhook(webhook: Webhook, body: WireWebhook): Webhook {
  const { name, url, routing_key: routingKey, allow_private: allowPrivate, alerts, paused } = body;
  // A URL is only changed where it can be read.
  const isReadable = url !== undefined && (webhook.kind === "email" || URL.canParse(url));
  return {
    ...(isReadable || routingKey !== undefined ? changeDestination(webhook, { url: url ?? currentUrl(webhook), routingKey }) : webhook),
    name: name ?? webhook.name,
    allowPrivate: allowPrivate ?? webhook.allowPrivate,
    kinds: alerts === undefined ? webhook.kinds : alerts,
    paused: pausedBy(paused, webhook.paused),
  };
}

function pausedBy(wanted: boolean | undefined, before: string | null): string | null {
  if (wanted === undefined) return before;
  return wanted ? (before ?? PAUSED_BY_OPERATOR) : null;
}
