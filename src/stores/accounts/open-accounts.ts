import { DEFAULT_ACCOUNT, makeAccount } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import type { Database } from "../database.ts";
import type { AccountStore } from "./account-store.ts";
import { SqlAccountStore } from "./sql-account-store.ts";

/** Opens the accounts. A first start creates the default account. */
export async function openAccounts(database: Database, nowMs: number): Promise<AccountStore> {
  const accounts = await SqlAccountStore.open(database);
  await accounts.update(DEFAULT_ACCOUNT, (current) => {
    if (current) return undefined;
    const record = makeAccount(DEFAULT_ACCOUNT, "Default", nowMs);
    const { id, name } = record;
    return { record, change: ownChange("account.create", { kind: "account", id }, { id, name }, nowMs) };
  });
  return accounts;
}
