import type { Scope } from "../../access/access.ts";
import type { AccessToken } from "../../access/access-token.ts";

/** A row of `access_tokens`. `hash` is in hexadecimal, `scopes` is a JSON array. */
export interface AccessTokenTable {
  id: string;
  hash: string;
  person_id: string;
  round: number;
  name: string;
  scopes: string;
  created_at_ms: number;
  expires_at_ms: number;
  last_used_at_ms: number | null;
  revoked_at_ms: number | null;
}

export function toRow(token: AccessToken): AccessTokenTable {
  return {
    id: token.id,
    hash: Buffer.from(token.hash).toString("hex"),
    person_id: token.personId,
    round: token.generation,
    name: token.name,
    scopes: JSON.stringify(token.scopes),
    created_at_ms: token.createdAtMs,
    expires_at_ms: token.expiresAtMs,
    last_used_at_ms: token.lastUsedAtMs,
    revoked_at_ms: token.revokedAtMs,
  };
}

export function fromRow(row: AccessTokenTable): AccessToken {
  return {
    id: row.id,
    hash: Buffer.from(row.hash, "hex"),
    personId: row.person_id,
    generation: row.round,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}
