import { accountFilter, members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { keySchema, viewUsedKey } from "./key-view.ts";

interface KeyQuery extends PageQuery {
  readonly account?: string;
  readonly search?: string;
  readonly state?: "active" | "expired" | "revoked";
}

/** GET /api/keys: a page of keys, newest first. Members see the keys of their own account. */
export function listKeys(platform: Platform): Operation {
  return operation<undefined, KeyQuery>({
    method: "GET",
    path: "/api/keys",
    access: members("keys:read"),
    operationId: "listKeys",
    summary: "List keys, newest first",
    query: {
      account: { type: "string", description: "Keys of one account." },
      search: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description: "Keys whose name contains this text, or whose id starts with it.",
      },
      state: { type: "string", enum: ["active", "expired", "revoked"], description: "Keys in this state." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of keys.", json: pageSchema("KeyPage", keySchema) },
    async run({ actor, query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number", "string"]);
      const { search, state } = query;
      const accountIds = accountFilter(actor, query.account);
      const filter = { accountIds, search, state, nowMs: platform.nowMs() };
      const keys = await platform.keys.page(filter, after && { createdAtMs: after[0], id: after[1] }, limit + 1);
      const lastUses = await platform.lastUsed.lastUsedTimes(keys.map(({ id }) => id));
      return toPage(
        cursors,
        keys,
        limit,
        (key) => viewUsedKey(key, lastUses, platform),
        (key) => [key.createdAtMs, key.id],
      );
    },
  });
}
