import { hashToken, makeToken } from "../lib/secret/random-token.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** A link that works once: to choose a first password, or a new one. Its token is a secret, of which a hash is kept. */
export interface OneTimeLink {
  readonly hash: string;
  readonly expiresAtMs: number;
}

export function makeLink(lifetimeMs: number, nowMs: number): { token: Secret; link: OneTimeLink } {
  const token = makeToken();
  return { token, link: { hash: hashToken(token.reveal()), expiresAtMs: nowMs + lifetimeMs } };
}
