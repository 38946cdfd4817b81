import type { Scope } from "./access.ts";
import { checkedSecrets, hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Person } from "./person.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** A personal access token: a person's right to automate, narrowed to scopes. The token is a secret, of which a hash is kept. */
export interface AccessToken {
  /** Public: it is in the token, and lists show it. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly personId: string;
  /** The person's round in which it was made. It ends with it. */
  readonly round: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** To the minute. */
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

const ACCESS_TOKENS = checkedSecrets("tollgate-access-");

/** A text in which every access token is cut to its public part. */
export function hideAccessTokens(text: string): string {
  return ACCESS_TOKENS.hideIn(text);
}

/** Makes a token, and the record of it to keep. */
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

/** The public id in a token's text, or undefined where the text cannot be a token of ours. */
export function idOfAccessToken(text: string): string | undefined {
  return ACCESS_TOKENS.idOf(text);
}

/** Whether the person can still act with it. */
export function isUsable(token: AccessToken, person: Person, nowMs: number): boolean {
  return person.disabledAtMs === null && token.round === person.tokenRound && token.revokedAtMs === null && nowMs < token.expiresAtMs;
}
