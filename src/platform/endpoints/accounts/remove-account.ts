import { operators } from "../../../access/access.ts";
import type { Account } from "../../../access/account.ts";
import { restrictedTo } from "../../../models/catalog.ts";
import { describeAccount } from "../../../access/declared-account.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseForeign } from "../fields/managed-by.ts";
import { refuseReferred } from "../fields/refuse-referred.ts";
import { accountSchema, viewAccount } from "./account-view.ts";
import { existingAccount, findAccount } from "./find-account.ts";

/**
 * DELETE /api/accounts/:id: removes an account without ledger entries, keys and members. It must be archived: an archived account gets none of
 * them, so that nothing is added between the check and the removal.
 */
export function removeAccount(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/accounts/:id",
    access: operators("accounts:write"),
    operationId: "removeAccount",
    summary: "Remove an archived account that has no ledger entries, keys and members, and that no model names",
    reply: { status: 200, description: "The removed account.", json: accountSchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const removed = viewAccount(findAccount(id, actor, platform), platform);
      refuseForeign("account", id, platform.accounts.originOf(id), platform);
      await refuseEntries(id, platform);
      const keys = (await platform.keys.list()).filter(({ accountId }) => accountId === id).map((key) => key.id);
      const people = (await platform.people.list()).filter(({ accountId }) => accountId === id).map(({ email }) => email);
      refuseReferred(`The account ${id}`, { "the keys": keys, "the members": people }, "Remove them first, or leave it archived.");
      await platform.accounts.remove(id, (current) => {
        refuseForeign("account", id, platform.accounts.originOf(id), platform);
        const account = refuseUnarchived(existingAccount(current, id, actor));
        const models = restrictedTo(id, platform.catalog.snapshot());
        refuseReferred(`The account ${id}`, { "the models": models }, "Change their accounts first, or leave it archived.");
        return {
          change: change("account.remove", { kind: "account", id }, { before: describeAccount(account), after: null, accountId: id }),
        };
      });
      return removed;
    },
  });
}

/** An entry of an account stays for good, so its account does too. */
async function refuseEntries(id: string, { ledgerRecords, nowMs }: Platform): Promise<void> {
  const [last] = await ledgerRecords.entriesOf(id, Number.MAX_SAFE_INTEGER, 1);
  const { creditNanos, heldNanos } = ledgerRecords.balanceOf(id);
  const { totalNanos } = ledgerRecords.spendingOf("account", id, nowMs());
  if (!last && creditNanos === 0n && heldNanos === 0n && totalNanos === 0n) return;
  const which = last ? `the last is entry ${await ledgerRecords.numberOf(id, last.id)}` : "of requests in flight";
  throw new ApiError("still_in_use", `The account ${id} cannot be removed: it has ledger entries, ${which}. Leave it archived.`);
}

function refuseUnarchived(account: Account): Account {
  if (account.archivedAtMs !== null) return account;
  throw new ApiError("state_conflict", `The account ${account.id} is in use. Archive it first.`);
}
