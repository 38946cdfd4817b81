import type { Account } from "../../vocabulary/account.ts";
import type { Database } from "../database.ts";
import type { AccountStore } from "./account-store.ts";
import { fromRow, toRow } from "./account-table.ts";

/** Accounts in the embedded database, with a copy in memory that is always true: this process is the only writer. */
export class EmbeddedAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #accounts: Map<string, Account>;

  static async open(database: Database): Promise<EmbeddedAccountStore> {
    const rows = await database.selectFrom("accounts").selectAll().execute();
    return new EmbeddedAccountStore(database, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  private constructor(database: Database, accounts: Map<string, Account>) {
    this.#database = database;
    this.#accounts = accounts;
  }

  find(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  async put(account: Account): Promise<void> {
    const { id, ...changes } = toRow(account);
    await this.#database
      .insertInto("accounts")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes))
      .execute();
    this.#accounts.set(id, account);
  }

  async list(): Promise<readonly Account[]> {
    return [...this.#accounts.values()].toSorted((a, b) => a.id.localeCompare(b.id));
  }
}
