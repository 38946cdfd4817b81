import type { Account } from "../../vocabulary/account.ts";
import { readCaps, readLimits, writeCaps, writeLimits } from "../../vocabulary/limits.ts";

/** A row of `accounts`. Limits and caps are JSON. */
export interface AccountTable {
  id: string;
  name: string;
  created_at_ms: number;
  limits: string;
  caps: string;
}

export function toRow({ id, name, createdAtMs, limits, caps }: Account): AccountTable {
  return { id, name, created_at_ms: createdAtMs, limits: writeLimits(limits), caps: writeCaps(caps) };
}

export function fromRow(row: AccountTable): Account {
  return { id: row.id, name: row.name, createdAtMs: row.created_at_ms, limits: readLimits(row.limits), caps: readCaps(row.caps) };
}
