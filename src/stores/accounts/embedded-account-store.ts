import type { Compilable } from "kysely";
import type { Account } from "../../access/account.ts";
import type { Change } from "../../access/change.ts";
import type { Database, PreparedWrite } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { AccountStore, DeclaredAccount } from "./account-store.ts";
import { fromRow, toRow } from "./account-table.ts";

/** Accounts in the embedded database, cached in memory. The cache is always current: this process is the only writer. */
export class EmbeddedAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #accounts: Map<string, Account>;
  #ofFile: ReadonlySet<string> = new Set();

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

  originOf(id: string): "operator" | "file" {
    return this.#ofFile.has(id) ? "file" : "operator";
  }

  async put(account: Account, change: Change): Promise<void> {
    const { id } = account;
    const before = this.#accounts.get(id);
    // In memory first: of two concurrent creations with the same id the second finds it taken, and of two changes neither is lost.
    this.#accounts.set(id, account);
    try {
      await this.#database.write(this.#upsert(account), recordChange(this.#database, change));
    } catch (error) {
      if (this.#accounts.get(id) === account) this.#restore(id, before);
      throw error;
    }
  }

  prepare(accounts: readonly DeclaredAccount[]): PreparedWrite {
    return {
      statements: accounts.flatMap(({ account, change }) => (change ? [this.#upsert(account), recordChange(this.#database, change)] : [])),
      apply: () => {
        for (const { account, change } of accounts) if (change) this.#accounts.set(account.id, account);
        this.#ofFile = new Set(accounts.map(({ account }) => account.id));
      },
    };
  }

  #upsert(account: Account): Compilable {
    const { id, ...changes } = toRow(account);
    return this.#database
      .insertInto("accounts")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }

  #restore(id: string, before: Account | undefined): void {
    if (before) this.#accounts.set(id, before);
    else this.#accounts.delete(id);
  }

  async list(): Promise<readonly Account[]> {
    return [...this.#accounts.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}
