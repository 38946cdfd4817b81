import { sql, type Compilable } from "kysely";
import type { Make, Update } from "../../access/change.ts";
import { ApiError } from "../../requests/api-error.ts";
import { withLossesOf } from "../../access/lost-access.ts";
import type { Identity, Person } from "../../access/person.ts";
import type { Database } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { PersonFilter, PersonPosition, PersonStore } from "./person-store.ts";
import { fromRow, toRow } from "./person-table.ts";

/** People in a database, all of them in memory too. */
export class SqlPersonStore implements PersonStore {
  readonly #database: Database;
  readonly #people = new Map<string, Person>();
  readonly #idsByEmail = new Map<string, string>();

  static async open(database: Database): Promise<SqlPersonStore> {
    const rows = await database.selectFrom("people").selectAll().execute();
    return new SqlPersonStore(database, rows.map(fromRow));
  }

  private constructor(database: Database, people: readonly Person[]) {
    this.#database = database;
    for (const person of people) this.#cache(person);
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

  update<Made extends Update<Person> | undefined>(id: string, make: Make<Person, Made>): Promise<Made> {
    return this.#database.change(
      "person",
      [id],
      () => make(this.#people.get(id)),
      ({ record, change }) => {
        this.#refuseTakenEmail(record);
        const current = this.#people.get(id);
        return {
          statements: [this.#upsert(record), recordChange(this.#database, change)],
          apply: () => this.#cache(record),
          applyUnwritten: () => current && this.#cache(withLossesOf(current, record)),
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

  #cache(person: Person): void {
    this.#people.set(person.id, person);
    this.#idsByEmail.set(person.email, person.id);
  }

  async page({ search, role, accountId }: PersonFilter, after: PersonPosition | undefined, limit: number): Promise<readonly Person[]> {
    let query = this.#database.selectFrom("people").select("id").orderBy("created_at_ms", "desc").orderBy("id", "desc").limit(limit);
    if (search !== undefined) {
      query = query.where(sql<boolean>`(instr(lower(name), lower(${search})) > 0 or instr(email, lower(${search})) > 0)`);
    }
    if (role !== undefined) query = query.where("role", "=", role);
    if (accountId !== undefined) query = query.where("account_id", "=", accountId);
    if (after) query = query.where(sql<boolean>`(created_at_ms, id) < (${after.createdAtMs}, ${after.id})`);
    // The record in memory is current: a person may be disabled although that could not be written.
    return (await query.execute()).map((row) => this.#people.get(row.id)!);
  }

  count(): number {
    return this.#people.size;
  }

  countOperators(): number {
    return this.#people.values().reduce((count, { role, disabledAtMs }) => count + Number(role === "operator" && disabledAtMs === null), 0);
  }
}
