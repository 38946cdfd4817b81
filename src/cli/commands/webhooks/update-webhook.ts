import { platformCommand } from "../../platform-command.ts";
import type { WebhookView } from "../../views.ts";
import { WEBHOOK } from "./webhook-operand.ts";
import { WEBHOOK_OPTIONS } from "./webhook-options.ts";
import { describeWebhook } from "./webhook-words.ts";

export const updateWebhook = platformCommand<WebhookView>({
  summary: "Changes what is given of a webhook, or pauses it.",
  examples: [
    "webhooks update webhook_4fQ8sLm2XyZ1 --paused yes",
    "webhooks update webhook_4fQ8sLm2XyZ1 --alerts upstream.ejected,upstream.restored",
  ],
  operands: [WEBHOOK],
  options: WEBHOOK_OPTIONS,
  call: "PATCH /api/webhooks/{id}",
  print: describeWebhook,
});
