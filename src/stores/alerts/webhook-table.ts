import type { AlertKind } from "../../alerts/alert.ts";
import type { ChannelKind } from "../../alerts/channel-kind.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { Webhook } from "../../alerts/webhook.ts";
import { SecretLost, type Vault } from "../vault.ts";

/** A row of `webhooks`. `kinds` is a JSON array, and the secrets are encrypted by the vault. */
export interface WebhookTable {
  id: string;
  name: string;
  kind: string;
  url: string;
  allow_private: number;
  kinds: string | null;
  paused: string | null;
  secret: string;
  previous_secret: string | null;
  previous_signs_until_ms: number | null;
  created_at_ms: number;
}

export function toRow(webhook: Webhook, vault: Vault): WebhookTable {
  const { id, kinds, previous } = webhook;
  return {
    id,
    name: webhook.name,
    kind: webhook.kind,
    url: webhook.url,
    allow_private: webhook.allowPrivate ? 1 : 0,
    kinds: kinds && JSON.stringify(kinds),
    paused: webhook.paused,
    secret: vault.seal(webhook.secret, purposeOf(id)),
    previous_secret: previous && vault.seal(previous.secret, purposeOf(id)),
    previous_signs_until_ms: previous && previous.signsUntilMs,
    created_at_ms: webhook.createdAtMs,
  };
}

export function fromRow(row: WebhookTable, vault: Vault): Webhook {
  const { id, previous_secret: previous, previous_signs_until_ms: signsUntilMs } = row;
  return {
    id,
    name: row.name,
    kind: row.kind as ChannelKind,
    url: row.url,
    allowPrivate: row.allow_private === 1,
    kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as AlertKind[]),
    paused: row.paused,
    secret: open(row.secret, id, vault),
    previous: previous === null || signsUntilMs === null ? null : { secret: open(previous, id, vault), signsUntilMs },
    createdAtMs: row.created_at_ms,
  };
}

/** Whether any secret of the webhook was encrypted with the old secret. */
export function isOutdated({ secret, previous_secret: previous }: WebhookTable, vault: Vault): boolean {
  return vault.isOutdated(secret) || (previous !== null && vault.isOutdated(previous));
}

/** The purpose that a ciphertext is bound to: it does not decrypt in the row of another webhook. */
function purposeOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}

function open(sealed: string, id: string, vault: Vault): Secret {
  const secret = vault.open(sealed, purposeOf(id));
  if (secret) return secret;
  throw new SecretLost(`The secret of ${id} was encrypted with another secret.`);
}
