import type { Secret } from "../../lib/secret/secret.ts";
import { SECRET_PREFIX } from "../webhook.ts";

/** A message at one moment. */
export interface SignedMessage {
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
}

/**
 * The headers by which a receiver verifies that a message is authentic and fresh, by the Standard Webhooks specification. The timestamp is
 * the time of the attempt: receivers reject signatures that are minutes old, which prevents replays.
 */
export function signedHeaders({ id, atMs, body }: SignedMessage, secrets: readonly Secret[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${signatureOf(content, secret)}`).join(" "),
  };
}

function signatureOf(content: string, secret: Secret): string {
  const key = Uint8Array.fromBase64(secret.reveal().slice(SECRET_PREFIX.length));
  return new Bun.CryptoHasher("sha256", key).update(content).digest("base64");
}
