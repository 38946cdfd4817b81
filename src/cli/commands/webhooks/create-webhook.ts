import { required } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { WebhookView } from "../../views.ts";
import { WEBHOOK_OPTIONS } from "./webhook-options.ts";

export const createWebhook = platformCommand<WebhookView & { readonly secret: string }>({
  summary: "Makes a webhook, which alerts are sent to, and shows the secret that they are signed with, this once.",
  details: "What is sent, and how a receiver checks it, is in docs/alerts.md. See whether it arrives with webhooks test.",
  examples: [
    "webhooks create --name 'on call' --url https://hooks.example.com/tollgate",
    "webhooks create --name money --url https://hooks.example.com/tollgate --alerts credit.low,cap.near,cap.reached",
  ],
  options: {
    ...WEBHOOK_OPTIONS,
    name: required(WEBHOOK_OPTIONS.name, "give the webhook a name: --name 'on call'"),
    url: required(WEBHOOK_OPTIONS.url, "say where alerts are sent to: --url https://hooks.example.com/tollgate"),
  },
  call: "POST /api/webhooks",
  print: ({ id, url, secret }) =>
    `${secret}\n\nWebhook ${id} to ${url} signs with this secret. It is shown this once. Try it with: npx tollgate webhooks test ${id}\n`,
});
