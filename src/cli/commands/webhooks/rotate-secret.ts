import { duration } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { WebhookView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { WEBHOOK } from "./webhook-operand.ts";

export const rotateWebhookSecret = platformCommand<WebhookView & { readonly secret: string }>({
  summary: "Gives a webhook another secret and shows it, this once. Messages are signed with both for a while.",
  examples: ["webhooks rotate-secret webhook_4fQ8sLm2XyZ1", "webhooks rotate-secret webhook_4fQ8sLm2XyZ1 --overlap 0"],
  operands: [WEBHOOK],
  options: {
    overlap: duration(
      "overlap_seconds",
      "how long messages are signed with the secret as it was, too: 30m, 24h, 7d, up to 30d; 0 ends it at once; 24h, if not given",
    ),
  },
  call: "POST /api/webhooks/{id}/rotate-secret",
  print({ secret, id, previous_secret_signs_until: until }) {
    const before = until === null ? "The one before signs no more." : `The one before signs too until ${inTime(until)} UTC.`;
    return `${secret}\n\nWebhook ${id} signs with this secret from now on. It is shown this once. ${before}\n`;
  },
});
