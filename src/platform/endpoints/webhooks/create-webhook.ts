import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { describeWebhook, makeWebhook, MAX_WEBHOOKS, PAUSED_BY_OPERATOR } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { checkUrl } from "./check-url.ts";
import { findWebhook } from "./find-webhook.ts";
import { newWebhookSchema, webhookFields, type WireWebhook } from "./webhook-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** POST /api/webhooks: creates a webhook. */
export function createWebhook(platform: Platform): Operation {
  return operation<WireWebhook & { readonly name: string; readonly url: string }>({
    method: "POST",
    path: "/api/webhooks",
    access: operators("alerts:write"),
    operationId: "createWebhook",
    summary: "Create a webhook that alerts are sent to. Its signing secret is shown only in this reply.",
    body: {
      title: "CreateWebhookRequest",
      type: "object",
      additionalProperties: false,
      required: ["name", "url"],
      properties: webhookFields,
    },
    reply: { status: 201, description: "The webhook.", json: newWebhookSchema },
    async run({ body: { name, url, allow_private: allowPrivate, alerts, paused }, change }) {
      const wanted = { name, url, allowPrivate: allowPrivate ?? false, kinds: alerts ?? null, paused: paused ? PAUSED_BY_OPERATOR : null };
      checkUrl(wanted);
      const webhook = makeWebhook(wanted, platform.nowMs());
      await platform.webhooks.update(webhook.id, () => {
        if (platform.webhooks.list().length >= MAX_WEBHOOKS) {
          throw new ApiError("already_exists", `There are already ${MAX_WEBHOOKS} webhooks. Remove one first.`);
        }
        const what = { before: null, after: describeWebhook(webhook) };
        return { record: webhook, change: change("webhook.create", { kind: "webhook", id: webhook.id }, what) };
      });
      return Reply.json({ ...describeWebhook(webhook), secret: webhook.secret.reveal() }, { status: 201 });
    },
    showCreated: (id) => Reply.json({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}
