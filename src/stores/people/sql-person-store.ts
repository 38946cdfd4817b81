import type { Compilable } from "kysely";
import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import { ApiError } from "../../requests/api-error.ts";
import { withLossesKept, withLossesOf } from "../../access/lost-access.ts";
import type { Identity, Person } from "../../access/person.ts";
import { CachedRecords } from "../cached-records.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { PersonStore } from "./person-store.ts";
import { fromRow, toRow } from "./person-table.ts";

/** People in a database, with a copy of all of them in memory. */
export class SqlPersonStore implements PersonStore, RecordCache {
  readonly #database: Database;
  readonly #idsByEmail = new Map<string, string>();
  readonly #people = new CachedRecords<Person>({
    withLosses: withLossesKept,
    changed: (person, before) => {
      if (person) this.#idsByEmail.set(person.email, person.id);
      else if (this.#idsByEmail.get(before!.email) === before!.id) this.#idsByEmail.delete(before!.email);
    },
  });

  static async open(database: Database): Promise<SqlPersonStore> {
    const store = new SqlPersonStore(database);
    await database.cache("person", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("people").selectAll();
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    this.#people.replace(ids, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  find(id: string): Person | undefined {
    return this.#people.get(id);
  }

  findByEmail(email: string): Person | undefined {
    const id = this.#idsByEmail.get(email);
    return id === undefined ? undefined : this.#people.get(id);
  }

  findByIdentity({ issuer, subject }: Identity): Person | undefined {
    return this.#people.values().find(({ identity }) => identity?.subject === subject && identity.issuer === issuer);
  }

  findByInvitation(hash: string): Person | undefined {
    return this.#people.values().find(({ invitation }) => invitation?.hash === hash);
  }

  update<Made extends Update<Person> | undefined>(id: string, make: MakeChange<Person, Made>): Promise<Made> {
    return this.#database.change(
      "person",
      [id],
      () => make(this.#people.get(id)),
      ({ record, change }) => {
        this.#refuseTakenEmail(record);
        const current = this.#people.get(id);
        return {
          statements: [this.#upsert(record), recordChange(this.#database, change)],
          apply: () => this.#people.put(id, record),
          applyUnwritten: () => current && this.#people.lose(id, withLossesOf(current, record)),
        };
      },
    );
  }

  #refuseTakenEmail({ id, email }: Person): void {
    const holder = this.#idsByEmail.get(email);
    if (holder === undefined || holder === id) return;
    throw new ApiError("already_exists", "There is somebody with this email already.", { param: "email" });
  }

  #upsert(person: Person): Compilable {
    const { id, ...changes } = toRow(person);
    return this.#database
      .insertInto("people")
      .values({ id, ...changes })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(changes));
  }

  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Person, Made>): Promise<Made> {
    return this.#database.change(
      "person",
      [id],
      () => make(this.#people.get(id)),
      ({ change }) => ({
        statements: [this.#database.deleteFrom("people").where("id", "=", id), recordChange(this.#database, change)],
        apply: () => this.#people.remove(id),
      }),
    );
  }

  async list(): Promise<readonly Person[]> {
    await this.#database.refresh();
    return [...this.#people.values()];
  }

  count(): number {
    return this.#people.size;
  }

  countOperators(): number {
    return this.#people.values().reduce((count, { role, disabledAtMs }) => count + Number(role === "operator" && disabledAtMs === null), 0);
  }
}
