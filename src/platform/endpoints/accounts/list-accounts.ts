import { members, reaches } from "../../../vocabulary/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { accountSchema, viewAccount } from "./account-view.ts";

/** GET /api/accounts: accounts, by id, a page at a time. A member sees the own one. */
export function listAccounts(platform: Platform): Operation {
  return operation<undefined, PageQuery & { readonly search?: string }>({
    method: "GET",
    path: "/api/accounts",
    access: members("accounts:read"),
    operationId: "listAccounts",
    summary: "Lists accounts by id.",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Those whose id or name has this in it." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of accounts.", json: pageSchema("AccountPage", accountSchema) },
    async run({ actor, query }) {
      const { limit, after } = readPage(query, ["string"]);
      const search = query.search?.toLowerCase() ?? "";
      const accounts = (await platform.accounts.list())
        .filter(({ id }) => reaches(actor, id) && (after === undefined || id > after[0]))
        .filter(({ id, name }) => id.includes(search) || name.toLowerCase().includes(search));
      return toPage(
        accounts,
        limit,
        (account) => viewAccount(account, platform),
        ({ id }) => [id],
      );
    },
  });
}
