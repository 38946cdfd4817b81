import type { Session } from "../../access/session.ts";

/** A row of `sessions`. `hash` is in hexadecimal. */
export interface SessionTable {
  id: string;
  hash: string;
  person_id: string;
  round: number;
  created_at_ms: number;
  last_seen_at_ms: number;
  address: string | null;
  user_agent: string | null;
}

export function toRow(session: Session): SessionTable {
  return {
    id: session.id,
    hash: session.hash,
    person_id: session.personId,
    round: session.generation,
    created_at_ms: session.createdAtMs,
    last_seen_at_ms: session.lastSeenAtMs,
    address: session.address,
    user_agent: session.userAgent,
  };
}

export function fromRow(row: SessionTable): Session {
  return {
    id: row.id,
    hash: row.hash,
    personId: row.person_id,
    generation: row.round,
    createdAtMs: row.created_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    address: row.address,
    userAgent: row.user_agent,
  };
}
