import type { Alert, AlertKind } from "./alert.ts";
import { hasSecretUrl, redactUrl, type ChannelKind } from "./channel-kind.ts";
import { isRaisedKind } from "./raised-alert.ts";
import { randomBase62 } from "../lib/text/base62.ts";
import { Secret } from "../lib/secret/secret.ts";

/** A receiver of alerts. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  /** The URL as shown: only the beginning of a URL that is a credential; `mailto:` with the recipients for email. */
  readonly url: string;
  /** Whether the URL may be on this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The subscribed kinds of alerts; null for all kinds, including future ones. */
  readonly kinds: readonly AlertKind[] | null;
  /** Why the webhook is paused; null if it is not. */
  readonly paused: string | null;
  /**
   * The signing secret of a webhook, the URL of a chat, or the routing key of a pager. For email, there is a secret, too, which is not
   * used.
   */
  readonly secret: Secret;
  /** The previous secret, and the time until which messages are also signed with it. */
  readonly previous: { readonly secret: Secret; readonly signsUntilMs: number } | null;
  readonly createdAtMs: number;
}

/** The most webhooks: far more than there are operators, and few enough that each webhook can have its own concurrent calls. */
export const MAX_WEBHOOKS = 50;

export const PAUSED_BY_OPERATOR = "an operator has paused it";

/** The prefix of a secret, from the specification. Secret scanners recognize it. */
export const SECRET_PREFIX = "whsec_";

/** 256 bits. The specification demands 192 to 512. */
const SECRET_BYTES = 32;

/** A webhook as an operator wants it, with its whole URL. */
interface WantedWebhook extends Pick<Webhook, "name" | "url" | "allowPrivate" | "kinds" | "paused"> {
  readonly kind?: ChannelKind;
  /** The routing key of a pager. */
  readonly routingKey?: string | undefined;
}

export function makeWebhook({ kind = "webhook", routingKey, ...wanted }: WantedWebhook, nowMs: number): Webhook {
  const id = `webhook_${randomBase62(12)}`;
  const made = { id, kind, ...wanted, secret: makeSecret(), previous: null, createdAtMs: nowMs };
  return changeDestination(made, { url: wanted.url, routingKey });
}

/** Sets the destination. A URL that is a credential is a secret. */
export function changeDestination(webhook: Webhook, wanted: { readonly url: string; readonly routingKey?: string | undefined }): Webhook {
  const { url, routingKey } = wanted;
  if (hasSecretUrl(webhook.kind)) return { ...webhook, url: redactUrl(url), secret: new Secret(url) };
  return { ...webhook, url, ...(routingKey !== undefined && { secret: new Secret(routingKey) }) };
}

/** Rotates the secret. Messages are signed with both secrets during the grace period, so that the receiver can switch at any time. */
export function rotateSecret(webhook: Webhook, overlapMs: number, nowMs: number): Webhook {
  const previous = overlapMs === 0 ? null : { secret: webhook.secret, signsUntilMs: nowMs + overlapMs };
  return { ...webhook, secret: makeSecret(), previous };
}

/** The current signing secrets, newest first. */
export function secretsAt({ secret, previous }: Webhook, nowMs: number): readonly Secret[] {
  return previous && nowMs < previous.signsUntilMs ? [secret, previous.secret] : [secret];
}

/** Whether the webhook is subscribed to this kind of alert. At a pager, the end of an alert resolves its incident. */
export function wants({ kind: channel, kinds, paused }: Webhook, { kind }: Pick<Alert, "kind">): boolean {
  if (paused !== null || (channel === "pagerduty" && !isRaisedKind(kind))) return false;
  return kinds === null || kinds.some((each) => each === kind);
}

/** The audited fields of a webhook, without its secrets. */
export function describeWebhook(webhook: Webhook) {
  const { id, name, kind, url, allowPrivate, kinds, paused, previous, createdAtMs } = webhook;
  return {
    id,
    name,
    kind,
    url,
    allow_private: allowPrivate,
    alerts: kinds,
    paused: paused !== null,
    paused_because: paused,
    previous_secret_signs_until: previous === null ? null : new Date(previous.signsUntilMs).toISOString(),
    created_at: new Date(createdAtMs).toISOString(),
  };
}

/** Removes signing secrets from a text, including URL-encoded ones. */
export function redactSigningSecrets(text: string): string {
  return text.includes(SECRET_PREFIX) ? text.replaceAll(/(whsec_)[\w+/=%-]+/g, "$1…") : text;
}

function makeSecret(): Secret {
  return new Secret(`${SECRET_PREFIX}${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`);
}
