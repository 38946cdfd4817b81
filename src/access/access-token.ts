import type { Scope } from "./access.ts";
import { checkedSecrets, hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Person } from "./person.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** A personal access token with scopes. Only a hash of the token is stored. */
export interface AccessToken {
  /** Public: part of the token, and shown in lists. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly personId: string;
  /** The person's token generation when it was created. The token becomes invalid when the generation changes. */
  readonly round: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Rounded to the minute. */
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

const ACCESS_TOKENS = checkedSecrets("tollgate-access-");

/** Redacts every access token in a text to its public part. */
export function hideAccessTokens(text: string): string {
  return ACCESS_TOKENS.hideIn(text);
}

/** Creates a token and its stored record. */
export function issueAccessToken(
  person: Person,
  wanted: Pick<AccessToken, "name" | "scopes" | "expiresAtMs">,
  hashSecret: Secret,
  nowMs: number,
): { token: Secret; record: AccessToken } {
  const { id, secret } = ACCESS_TOKENS.make();
  const record = {
    id,
    ...wanted,
    hash: hashKeyed(secret.reveal(), hashSecret),
    personId: person.id,
    round: person.tokenRound,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    revokedAtMs: null,
  };
  return { token: secret, record };
}

/** The public id in a plaintext token, or undefined where it cannot be one of ours. */
export function idOfAccessToken(text: string): string | undefined {
  return ACCESS_TOKENS.idOf(text);
}

/** Whether the token is valid. */
export function isUsable(token: AccessToken, person: Person, nowMs: number): boolean {
  return person.disabledAtMs === null && token.round === person.tokenRound && token.revokedAtMs === null && nowMs < token.expiresAtMs;
}
