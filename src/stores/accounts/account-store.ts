import type { Account } from "../../access/account.ts";
import type { Origin } from "../../models/catalog.ts";
import type { Change, MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { RecordListener } from "../change-listeners.ts";
import type { PreparedWrite } from "../database.ts";

/** An account that the config file declares, and the audit record of what the declaration changes, if anything. */
export interface DeclaredAccount {
  readonly account: Account;
  readonly change: Change | undefined;
}

/** The read port of the gateway. */
export interface AccountReader {
  /** The account with this id. Served from memory, because every request needs it. It is the same object until the account changes. */
  find(id: string): Account | undefined;
}

/** Accounts, which own keys and credit. Writes throw `StorageUnavailable` while the database cannot be written. */
export interface AccountStore extends AccountReader {
  /**
   * Changes an account, or adds the account that `make` returns for an unknown id. When this resolves, the change is in force and durable,
   * with its entry in the audit log. If this throws, the account is unchanged. `make` may be called more than once, and may ask for the
   * account's origin.
   */
  update<Made extends Update<Account> | undefined>(id: string, make: MakeChange<Account, Made>): Promise<Made>;
  /** Deletes an account if `make` returns a change for the audit log. If this throws, the account is unchanged. */
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Account, Made>): Promise<Made>;
  /** Whether operators or the config file manage an account. */
  originOf(id: string): Exclude<Origin, "environment">;
  /**
   * Prepares the accounts that the config file declares; they replace the accounts of its previous declaration. Changed accounts are
   * written, the others stay as they are. Accounts that are no longer declared stay, and belong to the operators again. Nothing is written
   * and nothing is in force until `CatalogStore.declare` writes this together with its own change: a file takes effect as a whole or not at
   * all. Call this in the `make` of `declare`, with accounts made from the result of `find` there.
   */
  prepare(accounts: readonly DeclaredAccount[]): PreparedWrite;
  /** Adopts a config file that another process has declared. It has these accounts, and no others. */
  adoptFile(ids: readonly string[]): void;
  /** All accounts, in no particular order, including accounts that other processes have just added. */
  list(): Promise<readonly Account[]>;
  /** The id of every account. */
  ids(): string[];
  /** Calls the listener for each account that is added or changed, by operators or by the config file. */
  onChange(listener: RecordListener<Account>): void;
  /** Calls the listener for each account that is deleted. */
  onRemove(listener: (account: Account) => void): void;
}
