import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Compilable, type CompiledQuery, type RawBuilder } from "kysely";
import type { Database } from "../database.ts";
import type { KeyUses, ModelUse, ModelUseFilter, SummingLastUsedStore } from "./last-used-store.ts";
import { PendingUses } from "./pending-uses.ts";

const WRITE_EVERY_MS = 3000;
/** Keys written in one turn of the event loop, which blocks it for a few milliseconds. */
const KEYS_AT_ONCE = 200;
/**
 * Keys read by one statement. For more keys, all keys are read: a statement with more parameters takes longer, and the number of parameters
 * is limited.
 */
const READ_AT_ONCE = 2000;

/** Last-used times in a database. New uses are in memory, a few numbers for each key, until they are written. */
export class SqlLastUsedStore implements SummingLastUsedStore {
  readonly #database: Database;
  readonly #unwritten = new PendingUses();
  readonly #upsertKeyUse: CompiledQuery;
  readonly #upsertModelUse: CompiledQuery;
  readonly #timer: Timer;

  constructor(database: Database) {
    this.#database = database;
    this.#upsertKeyUse = upsertKeyUse(database);
    this.#upsertModelUse = upsertModelUse(database);
    this.#timer = setInterval(() => void this.#write(), WRITE_EVERY_MS).unref();
  }

  noteKey(keyId: string, atMs: number): void {
    this.#unwritten.noteKey(keyId, atMs);
  }

  noteModel(keyId: string, model: string, atMs: number): void {
    this.#unwritten.noteModel(keyId, model, atMs);
  }

  add(keyId: string, uses: KeyUses): void {
    this.#unwritten.add(keyId, uses);
  }

  async lastUsedTimes(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (keyIds.length === 0) return new Map();
    const uses = keyIds.length > READ_AT_ONCE ? await this.#readAll() : await this.#read(keyIds);
    for (const id of keyIds) {
      const unwritten = this.#unwritten.lastUsedAtMs(id);
      if (unwritten !== undefined) uses.set(id, Math.max(unwritten, uses.get(id) ?? 0));
    }
    return uses;
  }

  async #read(keyIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#database.selectFrom("key_uses").selectAll().where("key_id", "in", keyIds).execute();
    return new Map(rows.map((row) => [row.key_id, row.last_used_at_ms]));
  }

  async #readAll(): Promise<Map<string, number>> {
    const uses = new Map<string, number>();
    const slice = this.#database.selectFrom("key_uses").selectAll().orderBy("key_id").limit(READ_AT_ONCE);
    for (let lastId: string | undefined = ""; lastId !== undefined;) {
      const rows = await slice.where("key_id", ">", lastId).execute();
      for (const row of rows) uses.set(row.key_id, row.last_used_at_ms);
      lastId = rows.at(-1)?.key_id;
      await nextTurn();
    }
    return uses;
  }

  async keysUsing(model: string, filter: ModelUseFilter, afterKeyId: string | undefined, limit: number): Promise<readonly ModelUse[]> {
    await this.#write();
    let query = this.#database
      .selectFrom("model_uses")
      .innerJoin("keys", "keys.id", "model_uses.key_id")
      .select(["key_id", "last_used_at_ms", "requests"])
      .where("model", "=", model)
      .where("last_used_at_ms", ">=", filter.sinceMs)
      .orderBy("key_id")
      .limit(limit);
    for (const accountId of filter.accountIds) query = query.where("keys.account_id", "=", accountId);
    if (afterKeyId !== undefined) query = query.where("key_id", ">", afterKeyId);
    const rows = await query.execute();
    return rows.map((row) => ({ keyId: row.key_id, lastUsedAtMs: row.last_used_at_ms, requests: row.requests }));
  }

  /** Writes all pending uses. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }

  /** Writes only the uses that are pending now: under load, including new uses would never end. */
  async #write(): Promise<void> {
    for (let left = this.#unwritten.size; left > 0; left -= KEYS_AT_ONCE) {
      // In order: two processes that write the same keys in different orders could deadlock.
      const taken = this.#unwritten.take(Math.min(left, KEYS_AT_ONCE)).toSorted(byName);
      try {
        await this.#database.write(...taken.flatMap(([keyId, unwritten]) => this.#statements(keyId, unwritten)));
      } catch {
        // The disk is full, or locked, which the ledger reports. These uses are written with the next ones.
        return this.#putBack(taken);
      }
      await nextTurn();
    }
  }

  #putBack(taken: readonly [string, KeyUses][]): void {
    for (const [keyId, uses] of taken) this.#unwritten.add(keyId, uses);
  }

  #statements(keyId: string, { lastUsedAtMs, models }: KeyUses): Compilable[] {
    const modelUses = [...models]
      .toSorted(byName)
      .map(([model, use]) => withValues(this.#upsertModelUse, [model, keyId, use.lastUsedAtMs, use.requests]));
    return [withValues(this.#upsertKeyUse, [keyId, lastUsedAtMs]), ...modelUses];
  }
}

function upsertKeyUse(database: Database): CompiledQuery {
  return database
    .insertInto("key_uses")
    .values({ key_id: "", last_used_at_ms: 0 })
    .onConflict((conflict) =>
      conflict.column("key_id").doUpdateSet({ last_used_at_ms: laterOf("key_uses.last_used_at_ms", "excluded.last_used_at_ms") }),
    )
    .compile();
}

function upsertModelUse(database: Database): CompiledQuery {
  return database
    .insertInto("model_uses")
    .values({ model: "", key_id: "", last_used_at_ms: 0, requests: 0 })
    .onConflict((conflict) =>
      conflict.columns(["model", "key_id"]).doUpdateSet({
        last_used_at_ms: laterOf("model_uses.last_used_at_ms", "excluded.last_used_at_ms"),
        requests: sql`model_uses.requests + excluded.requests`,
      }),
    )
    .compile();
}

/** SQLite and PostgreSQL have different functions for the larger of two values. */
function laterOf(one: string, other: string): RawBuilder<number> {
  return sql<number>`case when ${sql.ref(one)} > ${sql.ref(other)} then ${sql.ref(one)} else ${sql.ref(other)} end`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** A compiled statement with other values, in the order of its columns: compiling costs more than running it. */
function withValues(compiled: CompiledQuery, parameters: readonly (string | number)[]): Compilable {
  return { compile: () => ({ ...compiled, parameters }) };
}
