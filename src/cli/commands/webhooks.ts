import type { Delivery, NewWebhook, Webhook } from "../../../platform-client/types.ts";
import { ALERT_KINDS } from "../../alerts/alert.ts";
import { CHANNEL_KINDS } from "../../alerts/channel-kind.ts";
import { DELIVERY_STATES } from "../../alerts/delivery-state.ts";
import { UsageError, type Operand, type Reader } from "../command.ts";
import { formatDetails } from "../format/format-details.ts";
import { formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { choice, GRACE_PERIOD, list, required, text, yesOrNo } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

const WEBHOOK: Operand = { name: "WEBHOOK", meaning: "webhook ID, as shown by webhooks list" };

const CHOICES = `all, or one or more of ${ALERT_KINDS.join(", ")}`;

const readAlerts: Reader = (given, name) => {
  if (given === "all") return null;
  const kinds = given.split(",").map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !ALERT_KINDS.some((known) => known === kind));
  if (unknown === undefined) return kinds;
  const advice = unknown === "none" ? "; --paused yes pauses the webhook" : "";
  throw new UsageError(`${name} must be ${CHOICES}, not ${JSON.stringify(unknown)}${advice}`);
};

/** The fields of a webhook that can be set and updated. */
const WEBHOOK_OPTIONS = {
  name: text("name", "display name"),
  url: text("url", "destination URL: https://, or http:// on this machine; mailto: with the recipients of email", "URL"),
  "allow-private": yesOrNo("allow_private", "allow a destination on this machine or a private network"),
  alerts: { ...list("alerts", `alerts to send, separated by commas: ${CHOICES} (default: all)`), read: readAlerts },
  paused: yesOrNo("paused", "pause sending"),
  "routing-key-stdin": { meaning: "read the integration key of a PagerDuty service from stdin" },
};

const ROUTING_KEY = { field: "routing_key", what: "the integration key", onlyWith: "routing-key-stdin" };

function describeWebhook(webhook: Webhook): string {
  const { previous_secret_signs_until: until } = webhook;
  return formatDetails([
    ["Webhook", `${webhook.id} (${webhook.name})`],
    ["Kind", webhook.kind],
    ["URL", webhook.allow_private ? `${webhook.url} (private networks allowed)` : webhook.url],
    ["Alerts", describeKinds(webhook)],
    ["State", describeState(webhook)],
    ["Created", `${formatTime(webhook.created_at)} UTC`],
    ...(until === null ? [] : [["Old secret", `also signs until ${formatTime(until)} UTC`]]),
  ]);
}

function describeKinds({ alerts }: Webhook): string {
  return alerts === null ? "all" : alerts.join(", ");
}

function describeState({ paused, paused_because: because }: Webhook): string {
  return paused ? `paused: ${because}` : "active";
}

function describeLastAttempt({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (!last) return "not attempted yet";
  return `${last.problem ?? `Status ${last.status}.`} (${last.duration_ms} ms)`;
}

export const createWebhook = platformCommand<NewWebhook>({
  summary: "Create a webhook for alerts: for your own service, a chat, a pager or email. A signing secret is shown only once.",
  details: `docs/alerts.md has an example of each kind, and describes how to verify the signature of messages to your own service. Test the webhook with
webhooks test. Email needs the setting TOLLGATE_SMTP_URL.`,
  examples: [
    "webhooks create --name 'on call' --url https://hooks.example.com/tollgate",
    "webhooks create --name money --url https://hooks.example.com/tollgate --alerts credit.low,cap.near,cap.reached",
    "webhooks create --kind slack --name '#llm' --url https://hooks.slack.com/services/T000/B000/XXXX",
    "webhooks create --kind email --name operators --url mailto:ops@example.com,dev@example.com",
    `printenv PAGERDUTY_KEY | ${TOLLGATE} webhooks create --kind pagerduty --name 'on call' --routing-key-stdin`,
  ],
  options: {
    kind: choice("kind", CHANNEL_KINDS, "format of the messages (default: webhook)"),
    ...WEBHOOK_OPTIONS,
    name: required(WEBHOOK_OPTIONS.name, "give the webhook a name: --name 'on call'"),
  },
  stdin: ROUTING_KEY,
  call: "POST /api/webhooks",
  print({ id, kind, url, secret }) {
    const test = `Test it: ${TOLLGATE} webhooks test ${id}\n`;
    if (secret === null) return `Webhook ${id} of the kind ${kind} to ${url} is created. ${test}`;
    return `${secret}\n\nWebhook ${id} to ${url} signs with this secret, which is shown only once. ${test}`;
  },
});

export const listWebhooks = listCommand<Webhook>({
  summary: "List webhooks.",
  examples: ["webhooks list"],
  call: "GET /api/webhooks",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "KIND", cell: ({ kind }) => kind },
    { heading: "STATE", cell: ({ paused }) => (paused ? "paused" : "active") },
    { heading: "ALERTS", cell: describeKinds, isLong: true },
    { heading: "URL", cell: ({ url }) => url, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showWebhook = platformCommand<Webhook>({
  summary: "Show a webhook, without its signing secret.",
  examples: ["webhooks show webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "GET /api/webhooks/{id}",
  print: describeWebhook,
});

export const updateWebhook = platformCommand<Webhook>({
  summary: "Update or pause a webhook.",
  examples: [
    "webhooks update webhook_4fQ8sLm2XyZ1 --paused yes",
    "webhooks update webhook_4fQ8sLm2XyZ1 --alerts upstream.ejected,upstream.restored",
    "webhooks update webhook_4fQ8sLm2XyZ1 --alerts all",
  ],
  operands: [WEBHOOK],
  options: WEBHOOK_OPTIONS,
  stdin: ROUTING_KEY,
  call: "PATCH /api/webhooks/{id}",
  print: describeWebhook,
});

export const testWebhook = platformCommand<Delivery>({
  summary: "Send a test message to a webhook and show the response.",
  details: "The message has the type webhook.test and is not retried. Exit code 1 if the receiver does not accept it.",
  examples: ["webhooks test webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "POST /api/webhooks/{id}/test",
  print({ message_id: id, attempts }) {
    const { status, duration_ms: ms } = attempts[0]!;
    return status === null ? `No response after ${ms} ms.\n` : `Status ${status} for ${id} in ${ms} ms.\n`;
  },
  verdict({ attempts }) {
    const { problem } = attempts[0]!;
    return problem === null ? undefined : `the message was not accepted: ${adviceIn(problem)}`;
  },
});

/** Names the command that has the option. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "webhooks update --allow-private yes");
}

export const listDeliveries = listCommand<Delivery>({
  summary: "List the deliveries of a webhook, newest first. --json includes every attempt.",
  examples: ["webhooks deliveries webhook_4fQ8sLm2XyZ1", "webhooks deliveries webhook_4fQ8sLm2XyZ1 --state failed"],
  operands: [WEBHOOK],
  options: { state: choice("state", DELIVERY_STATES, "only deliveries in this state") },
  call: "GET /api/webhooks/{id}/deliveries",
  columns: [
    { heading: "ID", cell: ({ id }) => String(id) },
    { heading: "RAISED (UTC)", cell: (delivery) => formatTime(delivery.created_at) },
    { heading: "TYPE", cell: ({ type }) => type },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "ATTEMPTS", cell: ({ attempts }) => String(attempts.length) },
    { heading: "NEXT ATTEMPT (UTC)", cell: ({ next_attempt_at: next }) => (next === null ? "-" : formatTime(next)) },
    { heading: "LAST ATTEMPT", cell: describeLastAttempt, isLong: true },
  ],
});

export const redeliver = platformCommand<Delivery>({
  summary: "Send a delivery again, whatever its state.",
  examples: ["webhooks redeliver webhook_4fQ8sLm2XyZ1 17"],
  operands: [WEBHOOK, { name: "DELIVERY", meaning: "delivery ID, as shown by webhooks deliveries" }],
  call: "POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
  print: ({ id, message_id: message }) => `Sending delivery ${id} again, as ${message}.\n`,
});

export const rotateWebhookSecret = platformCommand<NewWebhook>({
  summary: "Rotate a webhook's signing secret. The new secret is shown only once.",
  examples: ["webhooks rotate-secret webhook_4fQ8sLm2XyZ1", "webhooks rotate-secret webhook_4fQ8sLm2XyZ1 --grace-period 0"],
  details: "Messages are signed with both secrets during a grace period.",
  operands: [WEBHOOK],
  options: { "grace-period": GRACE_PERIOD },
  call: "POST /api/webhooks/{id}/rotate-secret",
  print({ secret, id, previous_secret_signs_until: until }) {
    const before = until === null ? "The old secret no longer signs." : `The old secret also signs until ${formatTime(until)} UTC.`;
    return `${secret}\n\nNew signing secret of webhook ${id}. It is shown only once. ${before}\n`;
  },
});

export const removeWebhook = platformCommand<Webhook>({
  summary: "Remove a webhook with its pending messages and its delivery log.",
  examples: ["webhooks remove webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "DELETE /api/webhooks/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});
