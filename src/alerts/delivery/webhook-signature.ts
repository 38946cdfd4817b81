import type { Secret } from "../../lib/secret/secret.ts";
import { SECRET_PREFIX } from "../webhook.ts";

/** One message at one moment. */
export interface SignedMessage {
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
}

/**
 * The headers by which a receiver knows that a message is ours and is new, by the Standard Webhooks specification. The time is
 * that of the try: receivers refuse what was signed minutes ago, so that nobody can send it to them once more.
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
