import type { Alert, AlertKind } from "./alert.ts";
import { randomBase62 } from "../lib/text/base62.ts";
import { Secret } from "../lib/secret/secret.ts";

/** Where alerts are sent to. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Whether it may be on this machine or a private network. */
  readonly allowPrivate: boolean;
  /** Null for all of them, also those that there will be. */
  readonly kinds: readonly AlertKind[] | null;
  /** Why nothing is sent; null where it is. */
  readonly paused: string | null;
  readonly secret: Secret;
  /** The secret that the last rotation replaced, and until when messages are signed with it too. */
  readonly previous: { readonly secret: Secret; readonly signsUntilMs: number } | null;
  readonly createdAtMs: number;
}

/** Far more than there are operators, and few enough that each can have calls under way of its own. */
export const MAX_WEBHOOKS = 50;

export const PAUSED_BY_OPERATOR = "an operator has paused it";

/** By the specification. It lets secret scanners know one. */
export const SECRET_PREFIX = "whsec_";

/** 256 bits. The specification asks for 192 to 512. */
const SECRET_BYTES = 32;

export function makeWebhook(wanted: Pick<Webhook, "name" | "url" | "allowPrivate" | "kinds" | "paused">, nowMs: number): Webhook {
  return { id: `webhook_${randomBase62(12)}`, ...wanted, secret: makeSecret(), previous: null, createdAtMs: nowMs };
}

/** Gives a webhook another secret. Messages are signed with both for a while, so that a receiver can change over in its own time. */
export function rotateSecret(webhook: Webhook, overlapMs: number, nowMs: number): Webhook {
  const previous = overlapMs === 0 ? null : { secret: webhook.secret, signsUntilMs: nowMs + overlapMs };
  return { ...webhook, secret: makeSecret(), previous };
}

/** The secrets to sign with at this moment, the newest first. */
export function secretsAt({ secret, previous }: Webhook, nowMs: number): readonly Secret[] {
  return previous && nowMs < previous.signsUntilMs ? [secret, previous.secret] : [secret];
}

/** Whether it is to be told of this. */
export function wants({ kinds, paused }: Webhook, { kind }: Pick<Alert, "kind">): boolean {
  return paused === null && (kinds === null || kinds.some((each) => each === kind));
}

/** What was decided about a webhook. This is what the audit log compares: nothing of its secrets is in it. */
export function describeWebhook(webhook: Webhook): Record<string, unknown> {
  const { id, name, url, allowPrivate, kinds, paused, previous, createdAtMs } = webhook;
  return {
    id,
    name,
    url,
    allow_private: allowPrivate,
    alerts: kinds,
    paused: paused !== null,
    paused_because: paused,
    previous_secret_signs_until: previous === null ? null : new Date(previous.signsUntilMs).toISOString(),
    created_at: new Date(createdAtMs).toISOString(),
  };
}

/** A text without signing secrets: as they are, and as an address has them. */
export function hideSigningSecrets(text: string): string {
  return text.includes(SECRET_PREFIX) ? text.replaceAll(/(whsec_)[\w+/=%-]+/g, "$1…") : text;
}

function makeSecret(): Secret {
  return new Secret(`${SECRET_PREFIX}${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`);
}
