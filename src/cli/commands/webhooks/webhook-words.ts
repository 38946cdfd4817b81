import { formatFacts } from "../../facts.ts";
import type { DeliveryView, WebhookView } from "../../views.ts";
import { inTime } from "../../words.ts";

export function describeWebhook(webhook: WebhookView): string {
  const { previous_secret_signs_until: until } = webhook;
  return formatFacts([
    ["Webhook", `${webhook.id} (${webhook.name})`],
    ["Address", webhook.allow_private ? `${webhook.url}, which may be private` : webhook.url],
    ["Alerts", describeKinds(webhook)],
    ["Sends", describeSending(webhook)],
    ["Made", `${inTime(webhook.created_at)} UTC`],
    ...(until === null ? [] : [["Old secret", `signs too until ${inTime(until)} UTC`]]),
  ]);
}

export function describeKinds({ alerts }: WebhookView): string {
  return alerts === null ? "all" : alerts.join(", ");
}

function describeSending({ paused, paused_because: because }: WebhookView): string {
  return paused ? `nothing: ${because}` : "yes";
}

/** What came of the last try, in a few words. */
export function describeLastTry({ tries }: DeliveryView): string {
  const last = tries.at(-1);
  if (!last) return "not tried yet";
  return `${last.problem ?? `It answered with status ${last.status}.`} (${last.duration_ms} ms)`;
}
