import { isActive, type KeyRecord } from "../../vocabulary/api-key.ts";
import { formatDollars } from "../../vocabulary/money.ts";
import type { Platform } from "../platform.ts";
import { viewCaps, viewLimits } from "./limits-and-caps.ts";

/** A key as the platform shows it: never its hash, and the key itself only in the reply that made it. */
export function viewKey(record: KeyRecord, platform: Platform): Record<string, unknown> {
  const nowMs = platform.nowMs();
  const { heldNanos, dayNanos, monthNanos, totalNanos } = platform.ledger.spendingOf("key", record.id, nowMs);
  return {
    id: record.id,
    name: record.name,
    account: record.accountId,
    models: record.models,
    held: formatDollars(heldNanos),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
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
