import type { Scope } from "./access.ts";
import { checkedSecrets, hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Person } from "./person.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** An access token with scopes, of a person or of a service identity. Only a hash of the token is stored. */
export interface AccessToken {
  /** Public: part of the token, and shown in lists. */
  readonly id: string;
  readonly hash: Uint8Array;
  /** The ID of its person, or `service:NAME` for a service identity. No person has an ID of that form. */
  readonly personId: string;
  /** The person's token generation when it was created. The token becomes invalid when the generation changes. Always 0 for a service. */
  readonly generation: number;
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
export function redactAccessTokens(text: string): string {
  return ACCESS_TOKENS.redactIn(text);
}

const SERVICE = "service:";

/** The owner of a service's tokens. */
export function serviceOwner(service: string): Pick<Person, "id" | "tokenGeneration"> {
  return { id: `${SERVICE}${service}`, tokenGeneration: 0 };
}

/** The name of the service that a token belongs to; undefined for a person's token. */
export function serviceOf({ personId }: Pick<AccessToken, "personId">): string | undefined {
  return personId.startsWith(SERVICE) ? personId.slice(SERVICE.length) : undefined;
}

/** 366 days, so that a date one year from now always fits. */
export const MAX_TOKEN_LIFETIME_MS = 366 * 24 * 60 * 60 * 1000;

/** Creates a token and its stored record. */
export function issueAccessToken(
  owner: Pick<Person, "id" | "tokenGeneration">,
  wanted: Pick<AccessToken, "name" | "scopes" | "expiresAtMs">,
  hashSecret: Secret,
  nowMs: number,
): { token: Secret; record: AccessToken } {
  const { id, secret } = ACCESS_TOKENS.make();
  const record = {
    id,
    ...wanted,
    hash: hashKeyed(secret.reveal(), hashSecret),
    personId: owner.id,
    generation: owner.tokenGeneration,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    revokedAtMs: null,
  };
  return { token: secret, record };
}

/** The public ID in a plaintext token, or undefined if the text cannot be a Tollgate token. */
export function idOfAccessToken(text: string): string | undefined {
  return ACCESS_TOKENS.idOf(text);
}

/** Whether the token is valid. `person` is the person of the token; a service's token has none. */
export function isUsable(token: AccessToken, person: Person | undefined, nowMs: number): boolean {
  const isOwned = person ? person.disabledAtMs === null && token.generation === person.tokenGeneration : serviceOf(token) !== undefined;
  return isOwned && token.revokedAtMs === null && nowMs < token.expiresAtMs;
}
