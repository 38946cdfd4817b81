import { operators } from "../../../access/access.ts";
import { describeWebhook, rotateSecret } from "../../../alerts/webhook.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findWebhook } from "./find-webhook.ts";
import { newWebhookSchema } from "./webhook-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** POST /api/webhooks/:id/rotate-secret: another secret, with everything else as it was. */
export function rotateWebhookSecret(platform: Platform): Operation {
  return operation<{ readonly overlap_seconds?: number }>({
    method: "POST",
    path: "/api/webhooks/:id/rotate-secret",
    access: operators("alerts:write"),
    operationId: "rotateWebhookSecret",
    summary: "Gives a webhook another secret. Messages are signed with both for a while.",
    body: {
      title: "RotateWebhookSecretRequest",
      type: "object",
      additionalProperties: false,
      properties: {
        overlap_seconds: {
          type: "integer",
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description: "How long messages are signed with the secret as it was, too. A day, if it is left out; 0 ends it at once.",
        },
      },
    },
    reply: { status: 200, description: "The webhook, with its new secret.", json: newWebhookSchema },
    async run({ body, param, change }) {
      const webhook = findWebhook(param("id"), platform);
      const rotated = rotateSecret(webhook, (body.overlap_seconds ?? DAY_SECONDS) * 1000, platform.nowMs());
      const what = { before: describeWebhook(webhook), after: describeWebhook(rotated) };
      await platform.webhooks.put(rotated, change("webhook.rotate_secret", { kind: "webhook", id: webhook.id }, what));
      return Reply.json({ ...describeWebhook(rotated), secret: rotated.secret.reveal() });
    },
    showCreated: (id) => Reply.json({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}
