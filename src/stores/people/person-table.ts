import type { Person, Role } from "../../access/person.ts";

/** A row of `people`. All columns of an identity are null together, as are all columns of an invitation. */
export interface PersonTable {
  id: string;
  email: string;
  name: string;
  role: string;
  account_id: string | null;
  password_hash: string | null;
  issuer: string | null;
  subject: string | null;
  invitation_hash: string | null;
  invitation_expires_at_ms: number | null;
  session_round: number;
  token_round: number;
  created_at_ms: number;
  disabled_at_ms: number | null;
  archived_at_ms: number | null;
}

export function toRow(person: Person): PersonTable {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    account_id: person.accountId,
    password_hash: person.passwordHash,
    issuer: person.identity?.issuer ?? null,
    subject: person.identity?.subject ?? null,
    invitation_hash: person.invitation?.hash ?? null,
    invitation_expires_at_ms: person.invitation?.expiresAtMs ?? null,
    session_round: person.sessionGeneration,
    token_round: person.tokenGeneration,
    created_at_ms: person.createdAtMs,
    disabled_at_ms: person.disabledAtMs,
    archived_at_ms: person.archivedAtMs,
  };
}

export function fromRow(row: PersonTable): Person {
  const { issuer, subject, invitation_hash: hash, invitation_expires_at_ms: expiresAtMs } = row;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role as Role,
    accountId: row.account_id,
    passwordHash: row.password_hash,
    identity: issuer === null || subject === null ? null : { issuer, subject },
    invitation: hash === null || expiresAtMs === null ? null : { hash, expiresAtMs },
    sessionGeneration: row.session_round,
    tokenGeneration: row.token_round,
    createdAtMs: row.created_at_ms,
    disabledAtMs: row.disabled_at_ms,
    archivedAtMs: row.archived_at_ms,
  };
}
