import { sql, type Compilable } from "kysely";
import type { Make, Update } from "../../access/change.ts";
import { ApiError } from "../../requests/api-error.ts";
import { withLossesKept, withLossesOf } from "../../access/lost-access.ts";
import type { Identity, Person } from "../../access/person.ts";
import { CachedRecords } from "../cached-records.ts";
import { containsText } from "../contains-text.ts";
import type { Database, RecordCache } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { PersonFilter, PersonPosition, PersonStore } from "./person-store.ts";
import { fromRow, toRow } from "./person-table.ts";

/** People in a database, all of them in memory too. */
export class SqlPersonStore implements PersonStore, RecordCache {
  readonly #database: Database;
  readonly #idsByEmail = new Map<string, string>();
  readonly #people = new CachedRecords<Person>({
    withLosses: withLossesKept,
    changed: (person, before) => {
      if (person) this.#idsByEmail.set(person.email, person.id);
      else this.#idsByEmail.delete(before!.email);
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

  async reload(ids: readonly string[] | "all"): Promise<void> {
    this.#people.replace(ids, await this.#read(ids));
  }

  async #read(ids: readonly string[] | "all"): Promise<Map<string, Person>> {
    const all = this.#database.selectFrom("people").selectAll();
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    return new Map(rows.map((row) => [row.id, fromRow(row)]));
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

  async page({ search, role, accountId }: PersonFilter, after: PersonPosition | undefined, limit: number): Promise<readonly Person[]> {
    let query = this.#database.selectFrom("people").select("id").orderBy("created_at_ms", "desc").orderBy("id", "desc").limit(limit);
    if (search !== undefined) {
      query = query.where((is) => is.or([containsText("name", search), containsText("email", search)]));
    }
    if (role !== undefined) query = query.where("role", "=", role);
    if (accountId !== undefined) query = query.where("account_id", "=", accountId);
    if (after) query = query.where(sql<boolean>`(created_at_ms, id) < (${after.createdAtMs}, ${after.id})`);
    return this.#peopleOf((await query.execute()).map((row) => row.id));
  }

  /** The records in memory, because people may be disabled although that could not be written. Those of other processes may be missing. */
  async #peopleOf(ids: readonly string[]): Promise<Person[]> {
    const missing = ids.filter((id) => !this.#people.get(id));
    const read = missing.length > 0 ? await this.#read(missing) : undefined;
    return ids.flatMap((id) => this.#people.get(id) ?? read?.get(id) ?? []);
  }

  count(): number {
    return this.#people.size;
  }

  countOperators(): number {
    return this.#people.values().reduce((count, { role, disabledAtMs }) => count + Number(role === "operator" && disabledAtMs === null), 0);
  }
}
