import { listCommand } from "../../list-command.ts";
import type { WebhookView } from "../../views.ts";
import { describeKinds } from "./webhook-words.ts";

export const listWebhooks = listCommand<WebhookView>({
  summary: "Lists the webhooks: where alerts are sent to.",
  examples: ["webhooks list"],
  call: "GET /api/webhooks",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "SENDS", cell: ({ paused }) => (paused ? "paused" : "yes") },
    { heading: "ALERTS", cell: describeKinds, isLong: true },
    { heading: "ADDRESS", cell: ({ url }) => url, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
