import { emailSchema } from "../../../access/email-schema.ts";
import { HIDDEN, hasSecretUrl, recipientsIn, type ChannelKind } from "../../../alerts/channel-kind.ts";
import type { Webhook } from "../../../alerts/webhook.ts";
import { findViolation } from "../../../lib/schema/schema.ts";
import { problemOfWebhookUrl } from "../../../models/base-url.ts";
import { refuseField } from "../fields/refuse-field.ts";

/** As many as an alert may have: each receives it. */
const MAX_RECIPIENTS = 20;

/** Rejects a URL that must not be called. Resolved addresses are checked again at each connection. */
export function checkUrl({ kind, url, allowPrivate }: Pick<Webhook, "kind" | "url" | "allowPrivate">): void {
  const problem = kind === "email" ? problemOfMailto(url) : problemOf(kind, url, allowPrivate);
  if (problem !== undefined) refuseField(["url"], problem);
}

/** Rejects a routing key that would have no effect. */
export function checkRoutingKey(kind: ChannelKind, routingKey: string | undefined): void {
  if (routingKey !== undefined && kind !== "pagerduty") refuseField(["routing_key"], "is for PagerDuty alone");
}

function problemOf(kind: ChannelKind, url: string, allowPrivate: boolean): string | undefined {
  if (hasSecretUrl(kind) && url.includes(HIDDEN)) return "must be the whole URL: this is what is shown of it";
  return problemOfWebhookUrl(url, allowPrivate, hasSecretUrl(kind));
}

/** The angle brackets and commas of an address would be read as its end, by mail servers and in headers. */
function problemOfMailto(url: string): string | undefined {
  if (!/^mailto:/i.test(url)) return "must be mailto: with one or more addresses, such as mailto:ops@example.com,dev@example.com";
  const addresses = recipientsIn(url);
  if (addresses.length > MAX_RECIPIENTS) return `must have at most ${MAX_RECIPIENTS} addresses`;
  const wrong = addresses.find(
    (address) => findViolation(emailSchema, address) || !/^[!-~]+$/.test(address) || /[<>()[\]\\,;:"?]/.test(address),
  );
  return wrong === undefined
    ? undefined
    : `must have addresses in ASCII between commas, such as ops@example.com; ${JSON.stringify(wrong)} is none`;
}
