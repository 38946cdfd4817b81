import { fieldsOf, showValues } from "../../lib/schema/settings.ts";
import { keySettings, isActive, KEY_STATES, previousWorksUntil, stateOfKey, type KeyRecord } from "../../access/api-key.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { formatDollars } from "../../money/money.ts";
import type { Platform } from "../platform.ts";
import { unknownModelsSchema } from "./find-resource.ts";
import { spentSchema, timeSchema, viewTime } from "./fields.ts";

export const keySchema = {
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
    "carried_spend",
    "active",
    "state",
    "created_at",
    "expires_at",
    "revoked_at",
    "paused_at",
    "archived_at",
    "previous_key_works_until",
    "last_used_at",
    "imported",
  ],
  properties: {
    id: { type: "string", description: "The public part of the key, shown in logs and lists." },
    name: { type: "string" },
    account: { type: "string", description: "The account that pays for its requests." },
    ...fieldsOf(keySettings, "view"),
    held: { type: "string", description: "Credit reserved by in-flight requests, in dollars." },
    spent: spentSchema,
    active: {
      type: "boolean",
      description:
        "Whether requests with the key are accepted: it is neither paused, expired nor revoked, and its account is not archived.",
    },
    state: {
      type: "string",
      enum: KEY_STATES,
      description: "The state of the key itself. A key that is `active` is rejected all the same while its account is archived.",
    },
    created_at: timeSchema,
    expires_at: { ...timeSchema, nullable: true },
    revoked_at: { ...timeSchema, nullable: true },
    paused_at: { ...timeSchema, nullable: true, description: "Since when it is paused; null when it is not." },
    archived_at: { ...timeSchema, nullable: true, description: "Since when it is archived; null when it is not." },
    previous_key_works_until: {
      ...timeSchema,
      nullable: true,
      description: "End of the grace period for the old secret; null outside of a grace period.",
    },
    last_used_at: { ...timeSchema, nullable: true, description: "The time of the last request; null when there was none." },
    imported: {
      title: "ImportedFrom",
      type: "object",
      nullable: true,
      required: ["from", "source", "at"],
      properties: {
        from: { type: "string" },
        source: { type: "string", nullable: true, description: "The installation of that gateway; null if the import named none." },
        at: timeSchema,
      },
      description:
        "The gateway that it was imported from, and when, while it has its secret from there; null for other keys, and after a rotation.",
    },
  },
} as const satisfies Schema;

/** The schema of replies that create a key. The plaintext is in this reply and nowhere else. */
export const newKeySchema = {
  ...keySchema,
  title: "NewKey",
  properties: {
    ...keySchema.properties,
    key: { type: "string", nullable: true, description: "The plaintext key, shown only once, in the reply that created it." },
    unknown_models: unknownModelsSchema,
  },
} as const satisfies Schema;

/** A key as the API returns it: never its hash, and the plaintext only in the reply that created it. */
export async function viewKey(record: KeyRecord, platform: Platform) {
  return viewUsedKey(record, await platform.lastUsed.lastUsedTimes([record.id]), platform);
}

/** The same for one of many keys, whose last-used times were read together. */
export function viewUsedKey(record: KeyRecord, lastUses: ReadonlyMap<string, number>, platform: Platform) {
  const nowMs = platform.nowMs();
  const { heldNanos, dayNanos, monthNanos, totalNanos } = platform.ledgerRecords.spendingOf("key", record.id, nowMs);
  return {
    ...describeKey(record),
    held: formatDollars(heldNanos),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
    active: isActive(record, nowMs) && platform.accounts.find(record.accountId)?.archivedAtMs === null,
    state: stateOfKey(record, nowMs),
    previous_key_works_until: viewTime(previousWorksUntil(record, nowMs)),
    last_used_at: viewTime(lastUses.get(record.id) ?? null),
  };
}

/** The audited fields of a key, without its usage. */
export function describeKey(record: KeyRecord) {
  return {
    id: record.id,
    name: record.name,
    account: record.accountId,
    ...showValues(keySettings, record),
    created_at: viewTime(record.createdAtMs),
    expires_at: viewTime(record.expiresAtMs),
    revoked_at: viewTime(record.revokedAtMs),
    paused_at: viewTime(record.pausedAtMs),
    archived_at: viewTime(record.archivedAtMs),
    previous_key_works_until: viewTime(record.previous?.worksUntilMs ?? null),
    imported: record.imported && { from: record.imported.from, source: record.imported.source, at: viewTime(record.imported.atMs) },
  };
}
