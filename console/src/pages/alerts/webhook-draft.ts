import type { CreateWebhookRequest, Webhook } from "../../../../platform-client/types.ts";
import { formatDestination, hasSecretUrl, type ChannelKind } from "./channel-kinds.ts";
import { ALERT_KINDS, type AlertKind } from "./format-alert.ts";

/** The state of the webhook form. */
export interface WebhookDraft {
  readonly kind: ChannelKind;
  readonly name: string;
  /** A URL, or email addresses. Empty to keep the current URL, which is not shown. */
  readonly url: string;
  /** Empty to keep the current key. */
  readonly routingKey: string;
  readonly isPrivate: boolean;
  readonly isAll: boolean;
  /** The selected types, kept while "All alerts" is selected, in case the user switches back. */
  readonly kinds: readonly AlertKind[];
  /** Whether a webhook is edited. Its kind cannot change. */
  readonly isEdit: boolean;
}

export const NEW_WEBHOOK: WebhookDraft = {
  kind: "webhook",
  name: "",
  url: "",
  routingKey: "",
  isPrivate: false,
  isAll: true,
  kinds: [],
  isEdit: false,
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { kind, name, allow_private, alerts } = webhook;
  const url = hasSecretUrl(kind) ? "" : formatDestination(webhook);
  return { kind, name, url, routingKey: "", isPrivate: allow_private, isAll: alerts === null, kinds: alerts ?? [], isEdit: true };
}

/** The request body of the API. */
export function toRequest({ kind, name, url, routingKey, isPrivate, isAll, kinds }: WebhookDraft): CreateWebhookRequest {
  const typed = kind === "email" ? `mailto:${url.replaceAll(/\s/g, "")}` : url.trim();
  return {
    name,
    kind,
    ...(typed !== "" && { url: typed }),
    ...(kind === "pagerduty" && routingKey.trim() !== "" && { routing_key: routingKey.trim() }),
    allow_private: isPrivate,
    alerts: isAll ? null : ALERT_KINDS.filter((each) => kinds.includes(each)),
  };
}
