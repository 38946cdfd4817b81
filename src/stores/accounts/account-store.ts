import type { Account } from "../../vocabulary/account.ts";
import type { Change } from "../../vocabulary/change.ts";

/** Keeps who owns keys and credit. */
export interface AccountStore {
  /** On the path of every request: it answers from memory. */
  find(id: string): Account | undefined;
  /** Adds an account, or puts a changed one in its place. In force at once, durable when this resolves. */
  put(account: Account, change: Change): Promise<void>;
  /** Every account, by id. */
  list(): Promise<readonly Account[]>;
}
