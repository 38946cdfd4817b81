import { members } from "../../../access/access.ts";
import { DEFAULT_ACCOUNT } from "../../../access/account.ts";
import { issueKey } from "../../../access/api-key.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { requireAccount } from "../accounts/find-account.ts";
import { capsSchema, limitsSchema, readCaps, readLimits } from "../../../money/declared-limits.ts";
import { modelsSchema } from "../../../models/models-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { refuseWithoutAttribution } from "../fields/refuse-without-attribution.ts";
import { readFutureTime } from "../fields/times.ts";
import { unknownModelsIn } from "../models/find-model.ts";
import { findKey } from "./find-key.ts";
import { describeKey, newKeySchema, viewKey } from "./key-view.ts";

const requestSchema = {
  title: "CreateKeyRequest",
  type: "object",
  additionalProperties: false,
  required: ["name", "models"],
  properties: {
    name: { ...nameSchema, description: "The purpose of the key." },
    models: modelsSchema,
    account: { type: "string", description: "The id of the account that pays. Default: the member's own account, or `default`." },
    limits: limitsSchema,
    caps: capsSchema,
    expires_at: { type: "string", nullable: true, description: "The expiry time, such as 2027-01-31T00:00:00Z; null for no expiry." },
  },
} as const satisfies Schema;

/** POST /api/keys: creates a key. */
export function createKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys",
    access: members("keys:write"),
    operationId: "createKey",
    summary: "Create a key. The plaintext key is shown only in this reply.",
    body: requestSchema,
    reply: { status: 201, description: "The key.", json: newKeySchema },
    async run({ actor, body, change }) {
      const nowMs = platform.nowMs();
      const account = requireAccount(body.account ?? actor.accountId ?? DEFAULT_ACCOUNT, actor, platform);
      const wanted = {
        name: body.name,
        accountId: account.id,
        models: body.models,
        limits: readLimits(body.limits),
        caps: readCaps(body.caps),
        expiresAtMs: body.expires_at == null ? null : readFutureTime(body.expires_at, "expires_at", nowMs),
      };
      refuseWithoutAttribution(wanted, account.attribution);
      const { key, record } = issueKey(wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeKey(record), accountId: record.accountId };
      await platform.keys.add(record, change("key.create", { kind: "key", id: record.id }, what));
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...(await viewKey(record, platform)), key: key.reveal(), unknown_models: unknown };
    },
    async showCreated(id, { actor }) {
      const record = findKey(id, actor, platform);
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...(await viewKey(record, platform)), key: null, unknown_models: unknown };
    },
  });
}
