import { problemOfWebhookUrl } from "../../../models/base-url.ts";
import type { Webhook } from "../../../alerts/webhook.ts";
import { refuseField } from "../fields/refuse-field.ts";

/** Rejects a URL that must not be called. Resolved addresses are checked again at each connection. */
export function checkUrl({ url, allowPrivate }: Pick<Webhook, "url" | "allowPrivate">): void {
  const problem = problemOfWebhookUrl(url, allowPrivate);
  if (problem !== undefined) refuseField(["url"], problem);
}
