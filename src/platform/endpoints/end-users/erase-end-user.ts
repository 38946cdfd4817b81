import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ERASED, type Attribution } from "../../../money/attribution.ts";
import type { AttributedFilter, ErasedRequest, PositionedRequest } from "../../../stores/request-log/request-log-store.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { changeOf, endUserSchema, readEndUser, type EndUser } from "./end-user.ts";

/** Requests of one slice. */
const ROWS_AT_ONCE = 200;
/** Conversations of one search of the request log. */
const NAMES_AT_ONCE = 200;
/** Between slices, so that requests get most of the CPU time. */
const REST_MS = 2;

const erasedSchema = {
  title: "ErasedEndUser",
  type: "object",
  required: ["account", "entries", "conversations", "requests"],
  properties: {
    account: { type: "string" },
    entries: { type: "integer", description: "The ledger entries that named the end user or one of its conversations." },
    conversations: { type: "integer", description: "The conversations of the end user, which were erased too." },
    requests: { type: "integer", description: "The requests in the request log that did, without their prompts and responses now." },
  },
} as const satisfies Schema;

/**
 * POST /api/accounts/:id/end-users/erase: erases an end user from the ledger, the usage reports and the request log. Amounts stay. A request that
 * is in flight writes its entries when it ends: it is erased by a second call.
 */
export function eraseEndUser(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/accounts/:id/end-users/erase",
    access: operators("accounts:write"),
    operationId: "eraseEndUser",
    summary: "Erase an end user from ledger, usage and request log. Amounts stay. It cannot be undone, and may be repeated.",
    body: endUserSchema("EraseEndUserRequest"),
    reply: { status: 200, description: "What was erased. Nothing is left to erase where all counts are 0.", json: erasedSchema },
    async run(call) {
      const { actor, param, body, exchange } = call;
      const endUser = readEndUser(body, param("id"), actor, platform);
      // It reads the whole ledger.
      exchange.setIdleTimeout(0);
      const { entries, conversations } = await platform.ledgerRecords.eraseEndUser(endUser.accountId, endUser.names);
      const requests = await eraseFromLog(endUser, conversations, platform);
      // After the log: an export that is still running has read it before.
      await platform.exports.removeWithAccount(endUser.accountId);
      const counts = { entries, conversations: conversations.length, requests };
      await platform.auditLog.add(changeOf("account.erase_end_user", endUser, counts, call));
      return { account: endUser.accountId, ...counts };
    },
  });
}

/** Requests of others in the same conversations lose the conversation, and stay otherwise. */
async function eraseFromLog({ accountId, names }: EndUser, conversations: readonly string[], platform: Platform): Promise<number> {
  let count = await eraseMatching(accountId, { dimension: "user", names }, true, platform);
  for (let at = 0; at < conversations.length; at += NAMES_AT_ONCE) {
    const some = conversations.slice(at, at + NAMES_AT_ONCE);
    count += await eraseMatching(accountId, { dimension: "conversation", names: some }, false, platform);
  }
  return count;
}

async function eraseMatching(
  accountId: string,
  attributed: AttributedFilter,
  isOfUser: boolean,
  { requestLog }: Platform,
): Promise<number> {
  const filter = { accountId, attributed: [attributed] };
  const toErased = (found: PositionedRequest): ErasedRequest => {
    return { ...found, attribution: withoutNames(found.request.attribution!, isOfUser), deletesBodies: isOfUser };
  };
  let count = 0;
  for (let page = await requestLog.list(filter, undefined, "newer", ROWS_AT_ONCE); page.length > 0;) {
    await requestLog.erase(page.map(toErased));
    count += page.length;
    await Bun.sleep(REST_MS);
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", ROWS_AT_ONCE);
  }
  return count;
}

function withoutNames(attribution: Attribution, isOfUser: boolean): Attribution {
  const { user, conversation } = attribution;
  return {
    ...attribution,
    ...(user !== undefined && isOfUser && { user: ERASED }),
    ...(conversation !== undefined && { conversation: ERASED }),
  };
}
