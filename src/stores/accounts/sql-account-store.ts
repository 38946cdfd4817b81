import type { Compilable } from "kysely";
import type { Account } from "../../access/account.ts";
import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import { CachedRecords } from "../cached-records.ts";
import { ChangeListeners, type RecordListener } from "../change-listeners.ts";
import type { Database, PreparedWrite, RecordCache, RecordReader } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { AccountStore, DeclaredAccount } from "./account-store.ts";
import { fromRow, toRow } from "./account-table.ts";

/** Accounts in a database, with a copy of all of them in memory. */
export class SqlAccountStore implements AccountStore, RecordCache {
  readonly #database: Database;
  readonly #listeners = new ChangeListeners<Parameters<RecordListener<Account>>>();
  readonly #removalListeners = new ChangeListeners<[Account]>();
  readonly #accounts = new CachedRecords<Account>({
    changed: (account, before) => (account ? this.#listeners.publish(account, before) : this.#removalListeners.publish(before!)),
  });
  #ofFile: ReadonlySet<string> = new Set();

  static async open(database: Database): Promise<SqlAccountStore> {
    const store = new SqlAccountStore(database);
    await database.cache("account", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("accounts").selectAll();
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    this.#accounts.replace(ids, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  find(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  originOf(id: string): "operator" | "file" {
    return this.#ofFile.has(id) ? "file" : "operator";
  }

  update<Made extends Update<Account> | undefined>(id: string, make: MakeChange<Account, Made>): Promise<Made> {
    return this.#database.change(
      "account",
      [id],
      () => make(this.#accounts.get(id)),
      ({ record, change }) => ({
        statements: [this.#upsert(record), recordChange(this.#database, change)],
        apply: () => this.#accounts.put(id, record),
      }),
    );
  }

  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Account, Made>): Promise<Made> {
    return this.#database.change(
      "account",
      [id],
      () => make(this.#accounts.get(id)),
      ({ change }) => ({
        statements: [this.#database.deleteFrom("accounts").where("id", "=", id), recordChange(this.#database, change)],
        apply: () => this.#accounts.remove(id),
      }),
    );
  }

  prepare(accounts: readonly DeclaredAccount[]): PreparedWrite {
    const changed = accounts.filter(({ change }) => change).map(({ account }) => account.id);
    return {
      alsoChanged: [{ kind: "account", ids: changed }],
      statements: accounts.flatMap(({ account, change }) => (change ? [this.#upsert(account), recordChange(this.#database, change)] : [])),
      apply: () => {
        for (const { account, change } of accounts) if (change) this.#accounts.put(account.id, account);
        this.#ofFile = new Set(accounts.map(({ account }) => account.id));
      },
    };
  }

  adoptFile(ids: readonly string[]): void {
    this.#ofFile = new Set(ids);
  }

  #upsert(account: Account): Compilable {
    const { id, ...changes } = toRow(account);
    return this.#database
      .insertInto("accounts")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }

  async list(): Promise<readonly Account[]> {
    await this.#database.refresh();
    return [...this.#accounts.values()];
  }

  ids(): string[] {
    return this.#accounts.ids();
  }

  onChange(listener: RecordListener<Account>): void {
    this.#listeners.add(listener);
  }

  onRemove(listener: (account: Account) => void): void {
    this.#removalListeners.add(listener);
  }
}
