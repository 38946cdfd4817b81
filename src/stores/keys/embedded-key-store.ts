import { sql } from "kysely";
import type { KeyRecord } from "../../vocabulary/api-key.ts";
import type { Change } from "../../vocabulary/change.ts";
import type { Database } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { KeyFilter, KeyPlace, KeyStore } from "./key-store.ts";
import { fromRow, toRow } from "./key-table.ts";

/**
 * Keys in the embedded database. This process is its only writer, so a copy of every record in memory is always true: finding
 * a key costs no query, and a revocation bites with the next request.
 */
export class EmbeddedKeyStore implements KeyStore {
  readonly #database: Database;
  readonly #records: Map<string, KeyRecord>;

  static async open(database: Database): Promise<EmbeddedKeyStore> {
    const rows = await database.selectFrom("keys").selectAll().execute();
    return new EmbeddedKeyStore(database, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  private constructor(database: Database, records: Map<string, KeyRecord>) {
    this.#database = database;
    this.#records = records;
  }

  find(id: string): KeyRecord | undefined {
    return this.#records.get(id);
  }

  async add(record: KeyRecord, change: Change): Promise<void> {
    await this.#database.write(this.#database.insertInto("keys").values(toRow(record)), recordChange(this.#database, change));
    this.#records.set(record.id, record);
  }

  async update(record: KeyRecord, change: Change): Promise<void> {
    const before = this.#records.get(record.id)!;
    // In memory first: a change that comes while this one is being written builds on it, and a revocation is not undone by it.
    this.#records.set(record.id, record);
    try {
      await this.#write(record, change);
    } catch (error) {
      if (this.#records.get(record.id) === record) this.#records.set(record.id, before);
      throw error;
    }
  }

  async revoke(record: KeyRecord, change: Change): Promise<void> {
    // In memory first, and there to stay: the key is dead at once, even if the disk is full and whoever revoked it hears of a
    // failure. Another try then writes the same moment.
    this.#records.set(record.id, record);
    await this.#write(record, change);
  }

  async #write(record: KeyRecord, change: Change): Promise<void> {
    const { id, ...row } = toRow(record);
    await this.#database.write(this.#database.updateTable("keys").set(row).where("id", "=", id), recordChange(this.#database, change));
  }

  async page({ accountIds, search, state, nowMs }: KeyFilter, after: KeyPlace | undefined, limit: number): Promise<readonly KeyRecord[]> {
    let query = this.#database.selectFrom("keys").selectAll().orderBy("created_at_ms", "desc").orderBy("id", "desc").limit(limit);
    for (const accountId of accountIds) query = query.where("account_id", "=", accountId);
    if (search !== undefined) {
      query = query.where(sql<boolean>`(instr(lower(name), lower(${search})) > 0 or substr(id, 1, ${search.length}) = ${search})`);
    }
    if (after) query = query.where(sql<boolean>`(created_at_ms, id) < (${after.createdAtMs}, ${after.id})`);
    if (state === "revoked") query = query.where("revoked_at_ms", "is not", null);
    if (state === "expired") query = query.where("revoked_at_ms", "is", null).where("expires_at_ms", "<=", nowMs);
    if (state === "active") {
      query = query
        .where("revoked_at_ms", "is", null)
        .where((is) => is.or([is("expires_at_ms", "is", null), is("expires_at_ms", ">", nowMs)]));
    }
    // The memory's record is the truer one: a revocation that could not be written is in force all the same.
    return (await query.execute()).map((row) => this.#records.get(row.id)!);
  }

  ids(): string[] {
    return [...this.#records.keys()];
  }
}
