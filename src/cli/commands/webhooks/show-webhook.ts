import { platformCommand } from "../../platform-command.ts";
import type { WebhookView } from "../../views.ts";
import { WEBHOOK } from "./webhook-operand.ts";
import { describeWebhook } from "./webhook-words.ts";

export const showWebhook = platformCommand<WebhookView>({
  summary: "Shows a webhook. Its secret is never shown again.",
  examples: ["webhooks show webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "GET /api/webhooks/{id}",
  print: describeWebhook,
});
