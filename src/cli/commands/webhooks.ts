import type { Delivery, NewWebhook, Webhook } from "../../../platform-client/types.ts";
import { ALERT_KINDS } from "../../alerts/alert.ts";
import { DELIVERY_STATES } from "../../alerts/delivery-state.ts";
import type { Operand } from "../command.ts";
import { formatDetails } from "../format-details.ts";
import { formatTime } from "../format-values.ts";
import { listCommand } from "../list-command.ts";
import { choice, clearable, duration, list, required, text, yesOrNo } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

export const WEBHOOK: Operand = { name: "WEBHOOK", meaning: "the webhook's id, as webhooks list shows it" };

/** What a webhook is made with and can be changed to. */
export const WEBHOOK_OPTIONS = {
  name: text("name", "what it is called"),
  url: text("url", "where alerts are sent to: https://, or http:// to this machine", "URL"),
  "allow-private": yesOrNo("allow_private", "whether it may be on this machine or a private network"),
  alerts: clearable(list("alerts", `the kinds that it is sent, of ${ALERT_KINDS.join(", ")}; none for all of them`)),
  paused: yesOrNo("paused", "whether nothing is sent for now"),
};

export function describeWebhook(webhook: Webhook): string {
  const { previous_secret_signs_until: until } = webhook;
  return formatDetails([
    ["Webhook", `${webhook.id} (${webhook.name})`],
    ["Address", webhook.allow_private ? `${webhook.url}, which may be private` : webhook.url],
    ["Alerts", describeKinds(webhook)],
    ["Sends", describeSending(webhook)],
    ["Made", `${formatTime(webhook.created_at)} UTC`],
    ...(until === null ? [] : [["Old secret", `signs too until ${formatTime(until)} UTC`]]),
  ]);
}

export function describeKinds({ alerts }: Webhook): string {
  return alerts === null ? "all" : alerts.join(", ");
}

function describeSending({ paused, paused_because: because }: Webhook): string {
  return paused ? `nothing: ${because}` : "yes";
}

/** What came of the last try, in a few words. */
export function describeLastTry({ tries }: Delivery): string {
  const last = tries.at(-1);
  if (!last) return "not tried yet";
  return `${last.problem ?? `It answered with status ${last.status}.`} (${last.duration_ms} ms)`;
}

export const createWebhook = platformCommand<NewWebhook>({
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

export const listWebhooks = listCommand<Webhook>({
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

export const showWebhook = platformCommand<Webhook>({
  summary: "Shows a webhook. Its secret is never shown again.",
  examples: ["webhooks show webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "GET /api/webhooks/{id}",
  print: describeWebhook,
});

export const updateWebhook = platformCommand<Webhook>({
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

export const testWebhook = platformCommand<Delivery>({
  summary: "Sends a message to a webhook at once, and tells what came back.",
  details: "The message is of the type webhook.test. The command fails, with exit code 1, where it was not taken; it is not tried again.",
  examples: ["webhooks test webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "POST /api/webhooks/{id}/test",
  print({ message_id: id, tries }) {
    const { status, duration_ms: ms } = tries[0]!;
    return status === null ? `There was no answer, after ${ms} ms.\n` : `It answered ${id} with status ${status} in ${ms} ms.\n`;
  },
  verdict({ tries }) {
    const { problem } = tries[0]!;
    return problem === null ? undefined : `it was not taken: ${adviceIn(problem)}`;
  },
});

/** Here is no such option; another command has it. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "webhooks update --allow-private yes");
}

export const listDeliveries = listCommand<Delivery>({
  summary: "Lists what was sent to a webhook and what is to be, newest first. With --json, every try of it.",
  examples: ["webhooks deliveries webhook_4fQ8sLm2XyZ1", "webhooks deliveries webhook_4fQ8sLm2XyZ1 --state failed"],
  operands: [WEBHOOK],
  options: { state: choice("state", DELIVERY_STATES, "those in this state") },
  call: "GET /api/webhooks/{id}/deliveries",
  columns: [
    { heading: "ID", cell: ({ id }) => String(id) },
    { heading: "RAISED (UTC)", cell: (delivery) => formatTime(delivery.created_at) },
    { heading: "TYPE", cell: ({ type }) => type },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "TRIES", cell: ({ tries }) => String(tries.length) },
    { heading: "NEXT TRY (UTC)", cell: ({ next_try_at: next }) => (next === null ? "-" : formatTime(next)) },
    { heading: "LAST TRY", cell: describeLastTry, isLong: true },
  ],
});

export const sendDeliveryAgain = platformCommand<Delivery>({
  summary: "Sends a message to a webhook once more, whatever has become of it.",
  examples: ["webhooks send-again webhook_4fQ8sLm2XyZ1 17"],
  operands: [WEBHOOK, { name: "DELIVERY", meaning: "the delivery's id, as webhooks deliveries shows it" }],
  call: "POST /api/webhooks/{id}/deliveries/{deliveryId}/send-again",
  print: ({ id, message_id: message }) => `Delivery ${id} is sent again, as ${message}.\n`,
});

export const rotateWebhookSecret = platformCommand<NewWebhook>({
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
    const before = until === null ? "The one before signs no more." : `The one before signs too until ${formatTime(until)} UTC.`;
    return `${secret}\n\nWebhook ${id} signs with this secret from now on. It is shown this once. ${before}\n`;
  },
});

export const removeWebhook = platformCommand<Webhook>({
  summary: "Removes a webhook, with what was to be sent to it and the log of what was.",
  examples: ["webhooks remove webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "DELETE /api/webhooks/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});
