import type { KeyRecord } from "../../vocabulary/api-key.ts";
import { readCaps, readLimits, writeCaps, writeLimits } from "../../vocabulary/limits.ts";

/** A row of `keys`. Times are Unix milliseconds, `hash` is in hexadecimal, `models` is a JSON array of patterns, limits and caps are JSON. */
export interface KeyTable {
  id: string;
  name: string;
  hash: string;
  models: string;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  account_id: string;
  limits: string;
  caps: string;
  previous_hash: string | null;
  previous_works_until_ms: number | null;
}

export function toRow(record: KeyRecord): KeyTable {
  return {
    id: record.id,
    name: record.name,
    hash: toHex(record.hash),
    models: JSON.stringify(record.models),
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    revoked_at_ms: record.revokedAtMs,
    account_id: record.accountId,
    limits: writeLimits(record.limits),
    caps: writeCaps(record.caps),
    previous_hash: record.previous && toHex(record.previous.hash),
    previous_works_until_ms: record.previous && record.previous.worksUntilMs,
  };
}

export function fromRow(row: KeyTable): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    hash: Buffer.from(row.hash, "hex"),
    previous: readPrevious(row),
    models: JSON.parse(row.models) as string[],
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    accountId: row.account_id,
    limits: readLimits(row.limits),
    caps: readCaps(row.caps),
  };
}

function readPrevious({ previous_hash: hash, previous_works_until_ms: worksUntilMs }: KeyTable): KeyRecord["previous"] {
  return hash === null || worksUntilMs === null ? null : { hash: Buffer.from(hash, "hex"), worksUntilMs };
}

function toHex(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}
