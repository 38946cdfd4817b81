import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { describeWebhook, rotateSecret } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingWebhook, findWebhook } from "./find-webhook.ts";
import { newWebhookSchema } from "./webhook-view.ts";

const NO_SIGNING_SECRET = "Only webhooks of the kind `webhook` have a signing secret. Update the url or routing_key of this one instead.";

const DAY_SECONDS = 24 * 60 * 60;

/** POST /api/webhooks/:id/rotate-secret: generates a new secret. All settings stay. */
export function rotateWebhookSecret(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/rotate-secret",
    access: operators("alerts:write"),
    operationId: "rotateWebhookSecret",
    summary: "Rotate a webhook's signing secret. Messages are signed with both secrets during a grace period.",
    body: {
      title: "RotateWebhookSecretRequest",
      type: "object",
      additionalProperties: false,
      properties: {
        grace_period_seconds: {
          type: "integer",
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description:
            "The grace period in seconds, during which messages are also signed with the old secret. Default: one day; 0 ends it immediately.",
        },
      },
    },
    reply: { status: 200, description: "The webhook, with its new secret.", json: newWebhookSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.webhooks.update(id, (current) => {
        const webhook = existingWebhook(current, id);
        if (webhook.kind !== "webhook") throw new ApiError("state_conflict", NO_SIGNING_SECRET);
        const rotated = rotateSecret(webhook, (body.grace_period_seconds ?? DAY_SECONDS) * 1000, platform.nowMs());
        const what = { before: describeWebhook(webhook), after: describeWebhook(rotated) };
        return { record: rotated, change: change("webhook.rotate_secret", { kind: "webhook", id }, what) };
      });
      return { ...describeWebhook(record), secret: record.secret.reveal() };
    },
    showCreated: (id) => ({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}
