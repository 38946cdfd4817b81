import { isActive, previousWorksUntil, type KeyRecord } from "../../../access/api-key.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Platform } from "../../platform.ts";
import { capsSchema, limitsSchema, viewCaps, viewLimits } from "../../../money/declared-limits.ts";
import { shownModelsSchema } from "../../../models/models-schema.ts";
import { spentSchema } from "../fields/spent-schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const keySchema: Schema = {
  title: "Key",
  type: "object",
  required: [
    "id",
    "name",
    "account",
    "models",
    "held",
    "spent",
    "limits",
    "caps",
    "active",
    "created_at",
    "expires_at",
    "revoked_at",
    "previous_key_works_until",
    "last_used_at",
  ],
  properties: {
    id: { type: "string", description: "The public part of the key. Logs and lists show it." },
    name: { type: "string" },
    account: { type: "string", description: "The account that pays for it." },
    models: shownModelsSchema,
    limits: limitsSchema,
    caps: capsSchema,
    held: { type: "string", description: "Set aside for requests under way, in dollars." },
    spent: spentSchema,
    active: { type: "boolean", description: "Whether it works: neither expired nor revoked." },
    created_at: timeSchema,
    expires_at: { ...timeSchema, nullable: true },
    revoked_at: { ...timeSchema, nullable: true },
    previous_key_works_until: {
      ...timeSchema,
      nullable: true,
      description: "Until when the key as it was before its rotation works; null where it does not.",
    },
    last_used_at: { ...timeSchema, nullable: true, description: "When it last made a request; null if it never did." },
  },
};

/** What is made is in this reply and nowhere else, ever. */
export const newKeySchema: Schema = {
  ...keySchema,
  title: "NewKey",
  properties: {
    ...keySchema.properties,
    key: { type: "string", nullable: true, description: "The key itself: shown once, in the reply that made it." },
  },
};

/** A key as the platform shows it: never its hash, and the key itself only in the reply that made it. */
export async function viewKey(record: KeyRecord, platform: Platform): Promise<Record<string, unknown>> {
  return viewUsedKey(record, await platform.uses.lastUsesOf([record.id]), platform);
}

/** The same for one of many, whose last uses were looked up together. */
export function viewUsedKey(record: KeyRecord, lastUses: ReadonlyMap<string, number>, platform: Platform): Record<string, unknown> {
  const nowMs = platform.nowMs();
  const { heldNanos, dayNanos, monthNanos, totalNanos } = platform.ledger.spendingOf("key", record.id, nowMs);
  return {
    ...describeKey(record),
    held: formatDollars(heldNanos),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
    active: isActive(record, nowMs),
    previous_key_works_until: viewTime(previousWorksUntil(record, nowMs)),
    last_used_at: viewTime(lastUses.get(record.id) ?? null),
  };
}

/** What was decided about a key, without what has become of it since: this is what the audit log compares. */
export function describeKey(record: KeyRecord): Record<string, unknown> {
  return {
    id: record.id,
    name: record.name,
    account: record.accountId,
    models: record.models,
    limits: viewLimits(record.limits),
    caps: viewCaps(record.caps),
    created_at: viewTime(record.createdAtMs),
    expires_at: viewTime(record.expiresAtMs),
    revoked_at: viewTime(record.revokedAtMs),
    previous_key_works_until: viewTime(record.previous?.worksUntilMs ?? null),
  };
}
