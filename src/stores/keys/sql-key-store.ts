import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Compilable, type SelectQueryBuilder } from "kysely";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Change, Make, Update } from "../../access/change.ts";
import { CachedRecords } from "../cached-records.ts";
import { ChangeListeners, type RecordListener } from "../change-listeners.ts";
import { containsText } from "../contains-text.ts";
import type { Database, RecordCache, Tables } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { KeyFilter, KeyPosition, KeyStore } from "./key-store.ts";
import { rowReader, toRow } from "./key-table.ts";

/** Rows of one query that reads all keys. */
const ROWS_AT_ONCE = 5000;
/** Rows searched in one turn: the event loop is blocked for 1 to 2 ms. */
const SEARCHED_AT_ONCE = 2000;

type KeyQuery<Row> = SelectQueryBuilder<Tables, "keys", Row>;

/** Keys in a database, all of them in memory too: finding a key costs no query. */
export class SqlKeyStore implements KeyStore, RecordCache {
  readonly #database: Database;
  readonly #listeners = new ChangeListeners<Parameters<RecordListener<KeyRecord>>>();
  readonly #records = new CachedRecords<KeyRecord>({
    withLosses: (read, _, inForce) => withRevocationOf(read, inForce),
    changed: (record, before) => record && this.#listeners.publish(record, before),
  });

  static async open(database: Database): Promise<SqlKeyStore> {
    const store = new SqlKeyStore(database);
    await database.cache("key", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all"): Promise<void> {
    this.#records.replace(ids, ids === "all" ? await this.#readAll() : await this.#read(ids));
  }

  async #readAll(): Promise<Map<string, KeyRecord>> {
    const records = new Map<string, KeyRecord>();
    const read = rowReader();
    const slice = this.#database.selectFrom("keys").selectAll().orderBy("id").limit(ROWS_AT_ONCE);
    for (let lastId: string | undefined = ""; lastId !== undefined;) {
      const rows = await slice.where("id", ">", lastId).execute();
      for (const row of rows) records.set(row.id, read(row));
      lastId = rows.at(-1)?.id;
    }
    return records;
  }

  async #read(ids: readonly string[]): Promise<Map<string, KeyRecord>> {
    const rows = await this.#database.selectFrom("keys").selectAll().where("id", "in", ids).execute();
    const read = rowReader();
    return new Map(rows.map((row) => [row.id, read(row)]));
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

  update<Made extends Update<KeyRecord> | undefined>(id: string, make: Make<KeyRecord, Made>): Promise<Made> {
    return this.#database.change(
      "key",
      [id],
      () => make(this.#records.get(id)),
      ({ record, change }) => ({ statements: this.#statements(record, change), apply: () => this.#records.put(id, record) }),
    );
  }

  revoke<Made extends Update<KeyRecord> | undefined>(id: string, make: Make<KeyRecord, Made>): Promise<Made> {
    return this.#database.change(
      "key",
      [id],
      () => make(this.#records.get(id)),
      ({ record, change }) => ({
        statements: this.#statements(record, change),
        apply: () => this.#records.put(id, record),
        // The key is rejected even where the disk is full and the caller receives an error. Revoking it again then writes the same time.
        applyUnwritten: () => this.#records.lose(id, record),
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

  /** Searches in slices: a search of a hundred thousand keys without a match would block the event loop for long. */
  async page(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<readonly KeyRecord[]> {
    const found: KeyRecord[] = [];
    for (let from = after; ;) {
      const to = await this.#sliceEnd(filter, from);
      found.push(...(await this.#matching(filter, from, to, limit - found.length)));
      if (!to || found.length === limit) return found;
      from = to;
      await nextTurn();
    }
  }

  async #matching(filter: KeyFilter, from: KeyPosition | undefined, to: KeyPosition | undefined, limit: number): Promise<KeyRecord[]> {
    let query = inOrder(this.#database.selectFrom("keys").select("id"), filter, from).limit(limit);
    const { search, state, nowMs } = filter;
    if (to) query = query.where(sql<boolean>`(created_at_ms, id) >= (${to.createdAtMs}, ${to.id})`);
    if (search !== undefined) {
      query = query.where(sql<boolean>`(${containsText("name", search)} or substr(id, 1, ${search.length}) = ${search})`);
    }
    if (state === "revoked") query = query.where("revoked_at_ms", "is not", null);
    if (state === "expired") query = query.where("revoked_at_ms", "is", null).where("expires_at_ms", "<=", nowMs);
    if (state === "active") {
      query = query
        .where("revoked_at_ms", "is", null)
        .where((is) => is.or([is("expires_at_ms", "is", null), is("expires_at_ms", ">", nowMs)]));
    }
    return this.#recordsOf((await query.execute()).map(({ id: found }) => found));
  }

  /** The records in memory, because a revocation that could not be written is in force all the same. Those of other processes may be missing. */
  async #recordsOf(ids: readonly string[]): Promise<KeyRecord[]> {
    const missing = ids.filter((id) => !this.#records.get(id));
    const read = missing.length > 0 ? await this.#read(missing) : undefined;
    return ids.flatMap((id) => this.#records.get(id) ?? read?.get(id) ?? []);
  }

  /** The last position of the next slice, or undefined where it is the last slice. */
  async #sliceEnd(filter: KeyFilter, from: KeyPosition | undefined): Promise<KeyPosition | undefined> {
    const query = inOrder(this.#database.selectFrom("keys").select(["created_at_ms", "id"]), filter, from);
    const row = await query
      .limit(1)
      .offset(SEARCHED_AT_ONCE - 1)
      .executeTakeFirst();
    return row && { createdAtMs: row.created_at_ms, id: row.id };
  }

  ids(): string[] {
    return this.#records.ids();
  }

  onChange(listener: RecordListener<KeyRecord>): void {
    this.#listeners.add(listener);
  }
}

/** A key without what has been revoked of another state of it: the key, or its previous secret. */
function withRevocationOf(key: KeyRecord, { revokedAtMs, previous }: KeyRecord): KeyRecord {
  const isSamePrevious = key.previous && previous && Bun.deepEquals(key.previous.hash, previous.hash);
  return {
    ...key,
    revokedAtMs: key.revokedAtMs ?? revokedAtMs,
    previous: isSamePrevious ? { ...previous, worksUntilMs: Math.min(key.previous.worksUntilMs, previous.worksUntilMs) } : key.previous,
  };
}

/** Keys of the filtered account, newest first, after a position. */
function inOrder<Row>(query: KeyQuery<Row>, { accountIds }: KeyFilter, after: KeyPosition | undefined): KeyQuery<Row> {
  let ordered = query.orderBy("created_at_ms", "desc").orderBy("id", "desc");
  for (const accountId of accountIds) ordered = ordered.where("account_id", "=", accountId);
  if (after) ordered = ordered.where(sql<boolean>`(created_at_ms, id) < (${after.createdAtMs}, ${after.id})`);
  return ordered;
}
