import { platformCommand } from "../../platform-command.ts";
import type { WebhookView } from "../../views.ts";
import { WEBHOOK } from "./webhook-operand.ts";

export const removeWebhook = platformCommand<WebhookView>({
  summary: "Removes a webhook, with what was to be sent to it and the log of what was.",
  examples: ["webhooks remove webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "DELETE /api/webhooks/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});
