import { members } from "../../../access/access.ts";
import { issueKey, type KeyRecord } from "../../../access/api-key.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { requireAccount } from "../accounts/find-account.ts";
import { readFutureTime } from "../fields/times.ts";
import { findKey } from "./find-key.ts";
import { describeKey, newKeySchema, viewKey } from "./key-view.ts";

const SUFFIX = " (copy)";

/** POST /api/keys/:id/clone: creates a key with the settings of another, whatever the state of that one. */
export function cloneKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/clone",
    access: members("keys:write"),
    operationId: "cloneKey",
    summary:
      "Create a key with the account, models, limits, spend caps and expiry of another. The plaintext key is shown only in this reply.",
    body: {
      title: "CloneKeyRequest",
      type: "object",
      additionalProperties: false,
      properties: {
        name: { ...nameSchema, description: `Default: the name of the other key, with \`${SUFFIX.trim()}\`.` },
        expires_at: { type: "string", nullable: true, description: "The expiry time; null for no expiry. Default: that of the other key." },
      },
    },
    reply: { status: 201, description: "The new key.", json: newKeySchema },
    async run({ actor, body, param, change }) {
      const nowMs = platform.nowMs();
      const source = findKey(param("id"), actor, platform);
      const { accountId, models, limits } = source;
      const { carried: _spentElsewhere, ...caps } = source.caps;
      requireAccount(accountId, actor, platform);
      const name = body.name ?? `${source.name.slice(0, nameSchema.maxLength - SUFFIX.length)}${SUFFIX}`;
      const wanted = { name, accountId, models, limits, caps, expiresAtMs: expiryOf(body.expires_at, source, nowMs) };
      const { key, record } = issueKey(wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: { ...describeKey(record), cloned_from: source.id }, accountId };
      await platform.keys.add(record, change("key.create", { kind: "key", id: record.id }, what));
      return { ...(await viewKey(record, platform)), key: key.reveal() };
    },
    showCreated: async (id, { actor }) => ({ ...(await viewKey(findKey(id, actor, platform), platform)), key: null }),
  });
}

function expiryOf(given: string | null | undefined, { expiresAtMs }: KeyRecord, nowMs: number): number | null {
  if (given === null || (given === undefined && expiresAtMs === null)) return null;
  if (given !== undefined) return readFutureTime(given, "expires_at", nowMs);
  if (expiresAtMs! > nowMs) return expiresAtMs;
  throw new ApiError("missing_required_parameter", "expires_at is required, because this key has expired.", { param: "expires_at" });
}
