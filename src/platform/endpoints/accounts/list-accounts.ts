import { members, mayAccess } from "../../../access/access.ts";
import type { Account } from "../../../access/account.ts";
import { spendable } from "../../../money/credit-line.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../../sorted-list.ts";
import { accountSchema, viewAccount } from "./account-view.ts";

const SORTS = ["id", "name", "created", "available", "spent"];

/** GET /api/accounts: a page of accounts by id. Members see their own account only. */
export function listAccounts(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts",
    access: members("accounts:read"),
    operationId: "listAccounts",
    summary: "List accounts, by id unless another order is asked for",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Accounts whose id or name contains this text." },
      ...sortedListQuery("accounts", SORTS, "`available` has the lowest balance first; `spent` compares the spend of this month."),
    },
    reply: { status: 200, description: "A page of accounts.", json: sortedListSchema("AccountPage", accountSchema) },
    async run({ actor, query, cursors }) {
      const hasText = searchFor(query.search);
      return sortedPage(query, cursors, {
        items: await platform.accounts.list(),
        isMatch: ({ id, name, archivedAtMs }) => mayAccess(actor, id) && isListed(query, archivedAtMs) && hasText(id, name),
        sorts: sortsOf(platform),
        viewer: () => (account) => viewAccount(account, platform),
      });
    },
  });
}

function sortsOf({ ledgerRecords, nowMs }: Platform): SortOrders<Account> {
  const now = nowMs();
  const availableOf = ({ id, creditLine }: Account): bigint => {
    const { creditNanos, heldNanos } = ledgerRecords.balanceOf(id);
    return spendable(creditNanos, creditLine) - heldNanos;
  };
  return {
    id: { valueOf: ({ id }) => id, direction: "asc" },
    name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
    created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
    available: { valueOf: (account) => Number(availableOf(account)), direction: "asc" },
    spent: { valueOf: ({ id }) => Number(ledgerRecords.spendingOf("account", id, now).monthNanos), direction: "desc" },
  };
}
