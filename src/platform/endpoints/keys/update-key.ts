import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { members } from "../../../access/access.ts";
import type { KeyRecord } from "../../../access/api-key.ts";
import { PLAIN_ATTRIBUTION, type AttributionSettings } from "../../../access/attribution-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { simulateKeyChange } from "../../preview/simulate-key-change.ts";
import { capsSchema, changeCaps, changeLimits, limitsSchema } from "../../../money/declared-limits.ts";
import { modelsSchema } from "../../../models/models-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { refuseWithoutAttribution } from "../fields/refuse-without-attribution.ts";
import { readFutureTime } from "../fields/times.ts";
import { existingKey, findKey } from "./find-key.ts";
import { describeKey, keySchema, viewKey } from "./key-view.ts";
import { since } from "../fields/since.ts";
import { ApiError } from "../../../requests/api-error.ts";

const requestSchema = {
  title: "UpdateKeyRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    name: nameSchema,
    models: modelsSchema,
    limits: limitsSchema,
    caps: capsSchema,
    expires_at: { type: "string", nullable: true, description: "The expiry time; null for no expiry." },
    paused: { type: "boolean", description: "Whether it is paused: rejected with `api_key_paused` until it is resumed." },
    archived: { type: "boolean", description: "Whether it is archived: paused, and hidden from lists. A restored key stays paused." },
  },
} as const satisfies Schema;

type KeyChanges = Infer<typeof requestSchema>;

/** PATCH /api/keys/:id: updates the given fields. Takes effect with the next request. */
export function updateKey(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/keys/:id",
    access: members("keys:write"),
    operationId: "updateKey",
    summary: "Update a key. Only the given fields change, from its next request on.",
    body: requestSchema,
    reply: { status: 200, description: "The updated key.", json: keySchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { record } = await platform.keys.update(id, (current) => {
        const key = existingKey(current, id, actor);
        const changed = changeKey(key, body, platform.nowMs());
        refuseWithoutAttribution(changed, attributionOf(key, platform));
        const what = { before: describeKey(key), after: describeKey(changed), accountId: key.accountId };
        return { record: changed, change: change("key.update", { kind: "key", id }, what) };
      });
      return await viewKey(record, platform);
    },
    preview(call) {
      const key = findKey(call.param("id"), call.actor, platform);
      const changed = changeKey(key, call.body, platform.nowMs());
      refuseWithoutAttribution(changed, attributionOf(key, platform));
      const { id, accountId } = key;
      return previewChange(simulateKeyChange({ scope: "key", id, accountId }, key, changed, platform), call, platform);
    },
  });
}

function attributionOf({ accountId }: KeyRecord, { accounts }: Platform): AttributionSettings {
  return accounts.find(accountId)?.attribution ?? PLAIN_ATTRIBUTION;
}

function changeKey(key: KeyRecord, changes: KeyChanges, nowMs: number): KeyRecord {
  const { name, models, limits, caps, expires_at: expiresAt } = changes;
  return {
    ...withState(key, changes, nowMs),
    name: name ?? key.name,
    models: models ?? key.models,
    limits: changeLimits(key.limits, limits),
    caps: changeCaps(key.caps, caps),
    expiresAtMs: expiresAt == null ? (expiresAt === null ? null : key.expiresAtMs) : readFutureTime(expiresAt, "expires_at", nowMs),
  };
}

/** An archived key is paused, so that nothing works that is in no list. */
function withState(key: KeyRecord, { paused, archived }: KeyChanges, nowMs: number): KeyRecord {
  const isRevoked = key.revokedAtMs !== null;
  if (paused !== undefined && isRevoked) throw new ApiError("state_conflict", "This key was revoked permanently. Create a new one.");
  const archivedAtMs = since(archived, key.archivedAtMs, nowMs);
  if (paused === false && archivedAtMs !== null) throw new ApiError("state_conflict", "This key is archived. Restore it first.");
  return { ...key, archivedAtMs, pausedAtMs: since(archived && !isRevoked ? true : paused, key.pausedAtMs, nowMs) };
}
