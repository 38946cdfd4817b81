import type { Webhook } from "../../../../platform-client/types.ts";

export type ChannelKind = Webhook["kind"];

/** The kinds of receivers, and where their URL is found. */
export const CHANNELS: Readonly<Record<ChannelKind, { readonly label: string; readonly placeholder: string; readonly hint: string }>> = {
  webhook: {
    label: "Webhook",
    placeholder: "https://hooks.example.com/tollgate",
    hint: "Your own service, which verifies signed messages. No query string.",
  },
  slack: {
    label: "Slack",
    placeholder: "https://hooks.slack.com/services/…",
    hint: "The URL of an incoming webhook. It is stored encrypted.",
  },
  teams: {
    label: "Microsoft Teams",
    placeholder: "https://….logic.azure.com/workflows/…",
    hint: "The URL of the workflow “Send webhook alerts to a channel”. It is stored encrypted.",
  },
  discord: {
    label: "Discord",
    placeholder: "https://discord.com/api/webhooks/…",
    hint: "The URL of a channel's webhook. It is stored encrypted.",
  },
  pagerduty: {
    label: "PagerDuty",
    placeholder: "https://events.pagerduty.com/v2/enqueue",
    hint: "Leave empty, or enter https://events.eu.pagerduty.com/v2/enqueue for an account in the EU.",
  },
  email: {
    label: "Email",
    placeholder: "ops@example.com, dev@example.com",
    hint: "Up to 20 addresses, separated by commas. Needs a mail server in the settings.",
  },
};

export const CHANNEL_CHOICES = Object.entries(CHANNELS).map(([value, { label }]) => ({ value, label }));

/** Whether the URL is a credential. Only its beginning is shown then. */
export function hasSecretUrl(kind: ChannelKind): boolean {
  return kind === "slack" || kind === "teams" || kind === "discord";
}

/** The destination. An email destination is shown without its URL scheme. */
export function formatDestination({ kind, url }: Pick<Webhook, "kind" | "url">): string {
  return kind === "email" ? url.replace(/^mailto:/, "").replaceAll(",", ", ") : url;
}
