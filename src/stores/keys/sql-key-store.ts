import type { Compilable } from "kysely";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Change, MakeChange, AuditedChange, Update } from "../../access/change.ts";
import { CachedRecords } from "../cached-records.ts";
import { ChangeListeners, type RecordListener } from "../change-listeners.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { KeyStore } from "./key-store.ts";
import { rowReader, toRow } from "./key-table.ts";

/** Rows that one query reads when all keys are read. */
const ROWS_AT_ONCE = 5000;

/** Keys in a database, with a copy of all of them in memory: finding a key costs no query. */
export class SqlKeyStore implements KeyStore, RecordCache {
  readonly #database: Database;
  readonly #listeners = new ChangeListeners<Parameters<RecordListener<KeyRecord>>>();
  readonly #removalListeners = new ChangeListeners<[KeyRecord]>();
  readonly #records = new CachedRecords<KeyRecord>({
    withLosses: (read, _, inForce) => withRevocationOf(read, inForce),
    changed: (record, before) => (record ? this.#listeners.publish(record, before) : this.#removalListeners.publish(before!)),
  });

  static async open(database: Database): Promise<SqlKeyStore> {
    const store = new SqlKeyStore(database);
    await database.cache("key", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    this.#records.replace(ids, ids === "all" ? await readAll(reader) : await readSome(reader, ids));
  }

  find(id: string): KeyRecord | undefined {
    return this.#records.get(id);
  }

  async add(record: KeyRecord, change: Change): Promise<void> {
    const insert = this.#database.insertInto("keys").values(toRow(record));
    await this.#database.change(
      "key",
      [record.id],
      () => ({ change }),
      () => ({ statements: [insert, recordChange(this.#database, change)], apply: () => this.#records.put(record.id, record) }),
    );
  }

  update<Made extends Update<KeyRecord> | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made> {
    return this.#database.change(
      "key",
      [id],
      () => make(this.#records.get(id)),
      ({ record, change }) => ({ statements: this.#statements(record, change), apply: () => this.#records.put(id, record) }),
    );
  }

  revoke<Made extends Update<KeyRecord> | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made> {
    return this.#database.change(
      "key",
      [id],
      () => make(this.#records.get(id)),
      ({ record, change }) => ({
        statements: this.#statements(record, change),
        apply: () => this.#records.put(id, record),
        // The key is rejected even if the disk is full and the caller receives an error. Revoking it again then writes the same time.
        applyUnwritten: () => this.#records.lose(id, record),
      }),
    );
  }

  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<KeyRecord, Made>): Promise<Made> {
    return this.#database.change(
      "key",
      [id],
      () => make(this.#records.get(id)),
      ({ change }) => ({
        statements: [this.#database.deleteFrom("keys").where("id", "=", id), recordChange(this.#database, change)],
        apply: () => this.#records.remove(id),
      }),
    );
  }

  isUnwritten(id: string): boolean {
    return this.#records.isUnwritten(id);
  }

  #statements(record: KeyRecord, change: Change): readonly Compilable[] {
    const { id, ...row } = toRow(record);
    return [this.#database.updateTable("keys").set(row).where("id", "=", id), recordChange(this.#database, change)];
  }

  async list(): Promise<readonly KeyRecord[]> {
    await this.#database.refresh();
    return [...this.#records.values()];
  }

  ids(): string[] {
    return this.#records.ids();
  }

  onChange(listener: RecordListener<KeyRecord>): void {
    this.#listeners.add(listener);
  }

  onRemove(listener: (key: KeyRecord) => void): void {
    this.#removalListeners.add(listener);
  }
}

/** A key after applying the revocations of another state of it: of the key, or of its previous secret. */
function withRevocationOf(key: KeyRecord, { revokedAtMs, previous }: KeyRecord): KeyRecord {
  const isSamePrevious = key.previous && previous && Bun.deepEquals(key.previous.hash, previous.hash);
  return {
    ...key,
    revokedAtMs: key.revokedAtMs ?? revokedAtMs,
    previous: isSamePrevious ? { ...previous, worksUntilMs: Math.min(key.previous.worksUntilMs, previous.worksUntilMs) } : key.previous,
  };
}

async function readAll(reader: RecordReader): Promise<Map<string, KeyRecord>> {
  const records = new Map<string, KeyRecord>();
  const read = rowReader();
  const slice = reader.selectFrom("keys").selectAll().orderBy("id").limit(ROWS_AT_ONCE);
  for (let lastId: string | undefined = ""; lastId !== undefined;) {
    const rows = await slice.where("id", ">", lastId).execute();
    for (const row of rows) records.set(row.id, read(row));
    lastId = rows.at(-1)?.id;
  }
  return records;
}

async function readSome(reader: RecordReader, ids: readonly string[]): Promise<Map<string, KeyRecord>> {
  const rows = await reader.selectFrom("keys").selectAll().where("id", "in", ids).execute();
  const read = rowReader();
  return new Map(rows.map((row) => [row.id, read(row)]));
}
