import { mayAccess, type Actor } from "../../../access/access.ts";
import { DEFAULT_ACCOUNT, type Account } from "../../../access/account.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** An account that the actor may see. */
export function findAccount(id: string, actor: Actor, platform: Platform): Account {
  return existingAccount(platform.accounts.find(id), id, actor);
}

/** The same for the result of a search by id. An account that the actor may not see is reported as not found. */
export function existingAccount(account: Account | undefined, id: string, actor: Actor): Account {
  if (account && mayAccess(actor, id)) return account;
  throw unknownId("unknown_account", "account", id);
}

/** The same for an account that is named in a field of the request, to be given a key or a member. */
export function requireAccount(id: string, actor: Actor, platform: Platform): Account {
  const account = platform.accounts.find(id);
  if (account && mayAccess(actor, id)) return refuseArchived(account);
  throw new ApiError("invalid_value", `account must be the id of an account; ${JSON.stringify(id)} does not exist.`, {
    param: "account",
  });
}

/** Rejects a change that only an account in use can have. */
export function refuseArchived(account: Account): Account {
  if (account.archivedAtMs === null) return account;
  throw new ApiError("state_conflict", `The account ${account.id} is archived. Restore it first.`);
}

/** Rejects an archived default account: keys without an account belong to it. */
export function refuseDefault({ id, archivedAtMs }: Account): void {
  if (id !== DEFAULT_ACCOUNT || archivedAtMs === null) return;
  throw new ApiError("state_conflict", `The account ${DEFAULT_ACCOUNT} cannot be archived: keys without an account belong to it.`);
}
