import { operators } from "../../../access/access.ts";
import { PAGERDUTY_URL, type ChannelKind } from "../../../alerts/channel-kind.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { describeWebhook, makeWebhook, MAX_WEBHOOKS, PAUSED_BY_OPERATOR } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { checkRoutingKey, checkUrl } from "./check-url.ts";
import { findWebhook } from "./find-webhook.ts";
import { kindField, newWebhookSchema, routingKeyField, webhookFields, type WireWebhook } from "./webhook-view.ts";
import { refuseField } from "../fields/refuse-field.ts";

/** POST /api/webhooks: creates a webhook. */
export function createWebhook(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks",
    access: operators("alerts:write"),
    operationId: "createWebhook",
    summary:
      "Create a webhook that alerts are sent to: your own service, a chat, a pager or e-mail. Its signing secret is shown only in this reply.",
    body: {
      title: "CreateWebhookRequest",
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { ...kindField, ...webhookFields, ...routingKeyField },
    },
    reply: { status: 201, description: "The webhook.", json: newWebhookSchema },
    async run({ body, change }) {
      const wanted = readWanted(body);
      checkUrl(wanted);
      const webhook = makeWebhook(wanted, platform.nowMs());
      await platform.webhooks.update(webhook.id, () => {
        if (platform.webhooks.list().length >= MAX_WEBHOOKS) {
          throw new ApiError("already_exists", `There are already ${MAX_WEBHOOKS} webhooks. Remove one first.`);
        }
        const what = { before: null, after: describeWebhook(webhook) };
        return { record: webhook, change: change("webhook.create", { kind: "webhook", id: webhook.id }, what) };
      });
      const secret = webhook.kind === "webhook" ? webhook.secret.reveal() : null;
      return { ...describeWebhook(webhook), secret };
    },
    showCreated: (id) => ({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}

function readWanted(body: WireWebhook & { readonly name: string; readonly kind?: ChannelKind }) {
  const { name, kind = "webhook", routing_key: routingKey, alerts, paused } = body;
  checkRoutingKey(kind, routingKey);
  if (kind === "pagerduty" && routingKey === undefined)
    refuseField(["routing_key"], "is needed for PagerDuty: the integration key of a service");
  const url = body.url ?? (kind === "pagerduty" ? PAGERDUTY_URL : refuseField(["url"], "is missing"));
  const allowPrivate = body.allow_private ?? false;
  return { name, kind, url, routingKey, allowPrivate, kinds: alerts ?? null, paused: paused ? PAUSED_BY_OPERATOR : null };
}
