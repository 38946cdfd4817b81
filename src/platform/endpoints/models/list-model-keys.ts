import type { ModelUse } from "../../../stores/last-used/last-used-store.ts";
import { accountFilter, members } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { readTime, timeSchema, viewTime } from "../fields/times.ts";
import { findModel } from "./find-model.ts";

const DEFAULT_SPAN_MS = 30 * 24 * 60 * 60 * 1000;

const modelKeySchema = {
  title: "ModelKey",
  type: "object",
  required: ["key", "name", "account", "last_used_at", "requests"],
  properties: {
    key: { type: "string", description: "The id of the key." },
    name: { type: "string" },
    account: { type: "string" },
    last_used_at: timeSchema,
    requests: { type: "integer", description: "Total number of requests for this model." },
  },
} as const satisfies Schema;

/** GET /api/models/:id/keys: the keys that still use a model, to see who is affected by its retirement. */
export function listModelKeys(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models/:id/keys",
    access: members("keys:read"),
    operationId: "listModelKeys",
    summary: "List the keys that still use a model, by id",
    query: {
      account: { type: "string", description: "Keys of one account." },
      since: { type: "string", description: "Keys that have used the model since this time. Default: 30 days ago." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of keys.", json: pageSchema("ModelKeyPage", modelKeySchema) },
    async run({ actor, query, cursors, param }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const model = findModel(param("id"), actor, platform);
      const sinceMs = query.since === undefined ? platform.nowMs() - DEFAULT_SPAN_MS : readTime(query.since, "since");
      const accountIds = accountFilter(actor, query.account);
      const uses = await platform.lastUsed.keysUsing(model.id, { sinceMs, accountIds }, after?.[0], limit + 1);
      return toPage(
        cursors,
        uses,
        limit,
        (use) => viewModelKey(use, platform),
        ({ keyId }) => [keyId],
      );
    },
  });
}

function viewModelKey({ keyId, lastUsedAtMs, requests }: ModelUse, { keys }: Platform) {
  const { name, accountId } = keys.find(keyId)!;
  return { key: keyId, name, account: accountId, last_used_at: viewTime(lastUsedAtMs), requests };
}
