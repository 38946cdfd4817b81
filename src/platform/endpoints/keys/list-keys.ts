import { accountFilter, members } from "../../../access/access.ts";
import { KEY_STATES, stateOfKey, type KeyRecord } from "../../../access/api-key.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../../sorted-list.ts";
import { keySchema, viewUsedKey } from "./key-view.ts";

const SORTS = ["created", "name", "account", "expires", "last_used", "spent"];

/** GET /api/keys: a page of keys, newest first. Members see the keys of their own account. */
export function listKeys(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/keys",
    access: members("keys:read"),
    operationId: "listKeys",
    summary: "List keys, newest first unless another order is asked for",
    query: {
      account: { type: "string", description: "Keys of one account." },
      search: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description: "Keys whose name contains this text, or whose id starts with it.",
      },
      state: { type: "string", enum: KEY_STATES, description: "Keys in this state." },
      imported: { type: "string", enum: ["true", "false"], description: "Keys with the secret of another gateway, or all others." },
      ...sortedListQuery("keys", SORTS, "`spent` compares the spend of this month."),
    },
    reply: { status: 200, description: "A page of keys.", json: sortedListSchema("KeyPage", keySchema) },
    async run({ actor, query, cursors }) {
      const nowMs = platform.nowMs();
      const { search = "", state } = query;
      const accountIds = accountFilter(actor, query.account);
      const hasText = searchFor(query.search);
      const items = await platform.keys.list();
      return sortedPage(query, cursors, {
        items,
        isMatch: (key) =>
          isListed(query, key.archivedAtMs) &&
          accountIds.every((id) => id === key.accountId) &&
          (state === undefined || state === stateOfKey(key, nowMs)) &&
          (query.imported === undefined || (query.imported === "true") === (key.imported !== null)) &&
          (key.id.startsWith(search) || hasText(key.name)),
        sorts: await sortsOf(query.sort, items, platform),
        async viewer(page) {
          const lastUses = await platform.lastUsed.lastUsedTimes(page.map(({ id }) => id));
          return (key) => viewUsedKey(key, lastUses, platform);
        },
      });
    },
  });
}

async function sortsOf(
  sort: string | undefined,
  keys: readonly KeyRecord[],
  { lastUsed, ledgerRecords, nowMs }: Platform,
): Promise<SortOrders<KeyRecord>> {
  const now = nowMs();
  const lastUses = sort === "last_used" ? await lastUsed.lastUsedTimes(keys.map(({ id }) => id)) : new Map<string, number>();
  return {
    created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
    name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
    account: { valueOf: ({ accountId }) => accountId, direction: "asc" },
    expires: { valueOf: ({ expiresAtMs }) => expiresAtMs ?? Number.MAX_SAFE_INTEGER, direction: "asc" },
    last_used: { valueOf: ({ id }) => lastUses.get(id) ?? 0, direction: "desc" },
    spent: { valueOf: ({ id }) => Number(ledgerRecords.spendingOf("key", id, now).monthNanos), direction: "desc" },
  };
}
