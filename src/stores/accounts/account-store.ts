import type { Account } from "../../access/account.ts";
import type { Origin } from "../../models/catalog.ts";
import type { Change } from "../../access/change.ts";
import type { PreparedWrite } from "../database.ts";

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
   * The accounts that the config file decides about, ready to take the place of those that it decided about before: with a
   * change, written; without one, as it was. What is no longer among them stays as it is, and is the operators' again. The
   * catalog makes the change, with its own: a file is in force as a whole or not at all.
   */
  prepare(accounts: readonly DeclaredAccount[]): PreparedWrite;
  /** Every account, by id. */
  list(): Promise<readonly Account[]>;
}
