import type { Account } from "../../vocabulary/account.ts";
import type { Origin } from "../../vocabulary/catalog.ts";
import type { Change } from "../../vocabulary/change.ts";

/** An account that the config file decides about, and the record of what changes by it, if something does. */
export interface DeclaredAccount {
  readonly account: Account;
  readonly change: Change | undefined;
}

/** Keeps who owns keys and credit. */
export interface AccountStore {
  /** On the path of every request: it answers from memory. */
  find(id: string): Account | undefined;
  /** Adds an account, or puts a changed one in its place. In force at once, durable when this resolves. */
  put(account: Account, change: Change): Promise<void>;
  /** Who decides about an account: operators, or the config file. */
  originOf(id: string): Exclude<Origin, "environment">;
  /**
   * Puts the accounts that the config file decides about in the place of those that it decided about before: with a change,
   * written; without one, as it was. What is no longer among them stays as it is, and is the operators' again.
   */
  declare(accounts: readonly DeclaredAccount[]): Promise<void>;
  /** Every account, by id. */
  list(): Promise<readonly Account[]>;
}
