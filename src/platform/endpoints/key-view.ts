import { isActive, type KeyRecord } from "../../vocabulary/api-key.ts";
import { viewCaps, viewLimits } from "./limits-and-caps.ts";

/** A key as the platform shows it: never its hash, and the key itself only in the reply that made it. */
export function viewKey(record: KeyRecord, nowMs: number): Record<string, unknown> {
  return {
    id: record.id,
    name: record.name,
    account: record.accountId,
    models: record.models,
    limits: viewLimits(record.limits),
    caps: viewCaps(record.caps),
    active: isActive(record, nowMs),
    created_at: toIso(record.createdAtMs),
    expires_at: toIso(record.expiresAtMs),
    revoked_at: toIso(record.revokedAtMs),
  };
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
