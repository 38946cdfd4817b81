import { members, mayAccess } from "../../../access/access.ts";
import type { Account } from "../../../access/account.ts";
import { TopN } from "../../../lib/collections/top-n.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { accountSchema, viewAccount } from "./account-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

interface AccountsQuery extends PageQuery {
  readonly search?: string;
  readonly order?: "id" | "available";
}

/** GET /api/accounts: a page of accounts by id. Members see their own account only. */
export function listAccounts(platform: Platform): Operation {
  return operation<undefined, AccountsQuery>({
    method: "GET",
    path: "/api/accounts",
    access: members("accounts:read"),
    operationId: "listAccounts",
    summary: "List accounts by id",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Accounts whose id or name contains this text." },
      order: {
        type: "string",
        enum: ["id", "available"],
        description: "Sort order: `id` (default), or `available` for the lowest balance first, which has one page only.",
      },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of accounts.", json: pageSchema("AccountPage", accountSchema) },
    async run({ actor, query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const search = query.search?.toLowerCase() ?? "";
      const accounts = (await platform.accounts.list())
        .filter(({ id }) => mayAccess(actor, id) && (after === undefined || id > after[0]))
        .filter(({ id, name }) => id.includes(search) || name.toLowerCase().includes(search));
      if (query.order === "available") {
        if (after) throw new ApiError("invalid_value", "order cannot be available on a second page.", { param: "cursor" });
        const first = leastAvailable(accounts, limit, platform);
        return Reply.json({ data: first.map((account) => viewAccount(account, platform)), next: null });
      }
      return toPage(
        cursors,
        accounts,
        limit,
        (account) => viewAccount(account, platform),
        ({ id }) => [id],
      );
    },
  });
}

/** Selects the first few in one pass, because there may be very many accounts. */
function leastAvailable(accounts: readonly Account[], count: number, { ledgerRecords }: Platform): Account[] {
  const first = new TopN<readonly [Account, bigint]>(count, ([, one], [, other]) => (one < other ? -1 : one > other ? 1 : 0));
  for (const account of accounts) {
    const { creditNanos, heldNanos } = ledgerRecords.balanceOf(account.id);
    first.add([account, creditNanos - heldNanos]);
  }
  return first.inOrder().map(([account]) => account);
}
