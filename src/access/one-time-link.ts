import { hashToken, makeToken } from "../lib/secret/random-token.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** A one-time link to set or reset a password. Only a hash of its token is stored. */
export interface OneTimeLink {
  readonly hash: string;
  readonly expiresAtMs: number;
}

export function makeLink(lifetimeMs: number, nowMs: number): { token: Secret; link: OneTimeLink } {
  const token = makeToken();
  return { token, link: { hash: hashToken(token.reveal()), expiresAtMs: nowMs + lifetimeMs } };
}
