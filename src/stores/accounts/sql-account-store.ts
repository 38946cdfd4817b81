import type { Compilable } from "kysely";
import type { Account } from "../../access/account.ts";
import type { Make, Update } from "../../access/change.ts";
import { ChangeListeners, type RecordListener } from "../change-listeners.ts";
import type { Database, PreparedWrite } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { AccountStore, DeclaredAccount } from "./account-store.ts";
import { fromRow, toRow } from "./account-table.ts";

/** Accounts in a database, all of them in memory too. */
export class SqlAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #accounts: Map<string, Account>;
  readonly #listeners = new ChangeListeners<Parameters<RecordListener<Account>>>();
  #ofFile: ReadonlySet<string> = new Set();

  static async open(database: Database): Promise<SqlAccountStore> {
    const rows = await database.selectFrom("accounts").selectAll().execute();
    return new SqlAccountStore(database, new Map(rows.map((row) => [row.id, fromRow(row)])));
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

  update<Made extends Update<Account> | undefined>(id: string, make: Make<Account, Made>): Promise<Made> {
    return this.#database.change(
      "account",
      [id],
      () => make(this.#accounts.get(id)),
      ({ record, change }) => ({
        statements: [this.#upsert(record), recordChange(this.#database, change)],
        apply: () => this.#put(record),
      }),
    );
  }

  prepare(accounts: readonly DeclaredAccount[]): PreparedWrite {
    const changed = accounts.filter(({ change }) => change).map(({ account }) => account.id);
    return {
      alsoChanged: [{ kind: "account", ids: changed }],
      statements: accounts.flatMap(({ account, change }) => (change ? [this.#upsert(account), recordChange(this.#database, change)] : [])),
      apply: () => {
        for (const { account, change } of accounts) if (change) this.#put(account);
        this.#ofFile = new Set(accounts.map(({ account }) => account.id));
      },
    };
  }

  /** Puts an account in force. */
  #put(account: Account): void {
    const before = this.#accounts.get(account.id);
    this.#accounts.set(account.id, account);
    this.#listeners.publish(account, before);
  }

  #upsert(account: Account): Compilable {
    const { id, ...changes } = toRow(account);
    return this.#database
      .insertInto("accounts")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }

  async list(): Promise<readonly Account[]> {
    return [...this.#accounts.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  ids(): string[] {
    return [...this.#accounts.keys()];
  }

  onChange(listener: RecordListener<Account>): void {
    this.#listeners.add(listener);
  }
}
