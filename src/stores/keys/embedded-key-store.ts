import type { KeyRecord } from "../../vocabulary/api-key.ts";
import type { Database } from "../database.ts";
import type { KeyStore } from "./key-store.ts";
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

  async add(record: KeyRecord): Promise<void> {
    await this.#database.insertInto("keys").values(toRow(record)).execute();
    this.#records.set(record.id, record);
  }

  async update(record: KeyRecord): Promise<void> {
    const { id, name, models, limits, caps } = toRow(record);
    const before = this.#records.get(id)!;
    // In memory first: a change that comes while this one is being written builds on it, and a revocation is not undone by it.
    this.#records.set(id, record);
    try {
      await this.#database.updateTable("keys").set({ name, models, limits, caps }).where("id", "=", id).execute();
    } catch (error) {
      if (this.#records.get(id) === record) this.#records.set(id, before);
      throw error;
    }
  }

  async list(): Promise<readonly KeyRecord[]> {
    return [...this.#records.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs || a.id.localeCompare(b.id));
  }

  async revoke(id: string, nowMs: number): Promise<KeyRecord | undefined> {
    const record = this.#records.get(id);
    if (!record) return undefined;
    const revoked = record.revokedAtMs === null ? { ...record, revokedAtMs: nowMs } : record;
    // In memory first: the key is dead at once, even if the disk is full and whoever revoked it hears of a failure. Another
    // try then writes the same moment.
    this.#records.set(id, revoked);
    await this.#database.updateTable("keys").set({ revoked_at_ms: revoked.revokedAtMs }).where("id", "=", id).execute();
    return revoked;
  }
}
