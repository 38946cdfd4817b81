import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import { firstIdFrom } from "./tables/entry-id-at-time.ts";
import { ANSWERING_MODEL, fromHistoryRow, requestColumn, restrictedColumns, type HistoryRow } from "./history-rows.ts";
import type { RequestHistoryFilter, HistoricalRequest, RequestHistoryStore } from "./request-history-store.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** Entries read in one turn of the event loop, which blocks it for a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

/** Amounts are read as text: they may exceed the exact range of a JavaScript number. */
const COLUMNS = `h.id, h.account_id, h.key_id, h.model as requested_model, ${ANSWERING_MODEL} as model, h.at_ms,
  cast(h.amount_nanos as text) as held_nanos, h.attribution, e.id as end_id, e.kind,
  e.at_ms as ended_at_ms, e.price_version, cast(e.amount_nanos as text) as charged_nanos, e.prompt_tokens, e.cached_tokens,
  e.cache_write_tokens, e.completion_tokens, e.reasoning_tokens, e.upstream`;

/**
 * Holds with their closing entries, from the embedded database. Allows one reader at a time, so that two readers do not double the time of
 * a turn.
 */
export class EmbeddedRequestHistoryStore implements RequestHistoryStore {
  readonly #file: SqliteFile;
  readonly #catchUp: () => void;
  #lastRead: Promise<unknown> = Promise.resolve();

  /**
   * `file` is a separate connection: a scan must not evict the pages that requests need from the page cache. `catchUp` writes pending
   * entries to the database.
   */
  constructor(file: SqliteFile, catchUp: () => void) {
    this.#file = file;
    this.#catchUp = catchUp;
  }

  each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void> {
    const done = this.#lastRead.then(() => this.#each(filter, take, signal));
    this.#lastRead = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  async #each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void> {
    if (signal?.aborted) return;
    this.#catchUp();
    for (const requests of this.#batchesOf(filter)) {
      take(requests);
      await nextTurn();
      if (signal?.aborted) return;
    }
  }

  /** The batches, one for each turn of the event loop. A batch may be empty. */
  *#batchesOf(filter: RequestHistoryFilter): Generator<HistoricalRequest[]> {
    const firstId = firstIdFrom(this.#file, filter.sinceMs);
    if (filter.accountId === undefined && filter.model === undefined) return yield* this.#byHolds(filter, firstId);
    // The index of the closing entries by account avoids reading other entries. Only the closing entry has the model that answered: a
    // search by holds would have to look up the closing entry of every hold. Requests that may be open have no closing entry.
    const openId = Math.max(firstId, this.#oldestOpenId);
    yield* this.#byClosings(filter, firstId, openId);
    yield* this.#byHolds(filter, openId);
  }

  *#byHolds({ sinceMs, ...named }: RequestHistoryFilter, firstId: number): Generator<HistoricalRequest[]> {
    const asked = restrictedColumns(named);
    const conditions = ["h.at_ms >= ?", "h.id >= ?", "h.id < ?", ...asked.map(([column]) => `${requestColumn(column)} = ?`)];
    // Holds have no index: they are read in order of their ids, and their closing entries by index.
    const sql = `select ${COLUMNS} from entries h not indexed
      left join entries e on e.request_id = h.request_id and e.kind in ('settle', 'release')
      where h.kind = 'hold' and ${conditions.join(" and ")} order by h.id`;
    const query = this.#file.query<HistoryRow, SQLQueryBindings[]>(sql);
    const endId = this.#lastId + 1;
    for (let id = firstId; id < endId; id += ENTRIES_AT_ONCE) {
      const nextId = Math.min(endId, id + ENTRIES_AT_ONCE);
      yield query.all(sinceMs, id, nextId, ...asked.map(([, value]) => value)).map(fromHistoryRow);
    }
  }

  /** The requests of an account or a model whose holds have ids in a range. All of these holds are closed. */
  *#byClosings(filter: RequestHistoryFilter, firstId: number, nextId: number): Generator<HistoricalRequest[]> {
    /** Closing entries are found in their own order. Maps each block of 1,000 hold ids to the ids of the closing entries. */
    const ends = new Map<number, number[]>();
    for (const found of this.#closingsFrom(firstId, filter)) {
      for (const { id, hold_id: holdId } of found) {
        if (holdId === null || holdId < firstId || holdId >= nextId) continue;
        const thousand = Math.floor(holdId / ENTRIES_AT_ONCE);
        if (ends.get(thousand)?.push(id) === undefined) ends.set(thousand, [id]);
      }
      yield [];
    }
    const sql = `select ${COLUMNS} from json_each(?) as ended cross join entries e on e.id = ended.value
      cross join entries h on h.id = e.hold_id where h.at_ms >= ? order by h.id`;
    const query = this.#file.query<HistoryRow, [string, number]>(sql);
    for (const [, ids] of [...ends].toSorted(([a], [b]) => a - b)) yield query.all(JSON.stringify(ids), filter.sinceMs).map(fromHistoryRow);
  }

  /** The closing entries. `hold_id` is null for requests of other keys or models, and for grants and adjustments. */
  #closingsFrom(firstId: number, filter: RequestHistoryFilter): Generator<{ id: number; hold_id: number | null }[]> {
    return filter.accountId === undefined ? this.#allClosingsFrom(firstId, filter) : this.#closingsOfAccount(firstId, filter);
  }

  *#allClosingsFrom(firstId: number, { keyId, model }: RequestHistoryFilter): Generator<{ id: number; hold_id: number | null }[]> {
    const asked = restrictedColumns({ keyId, model });
    const sql = `select id, hold_id from entries not indexed
      where id >= ? and id < ? and kind in ('settle', 'release') and ${asked.map(([column]) => `${column} = ?`).join(" and ")} order by id`;
    const query = this.#file.query<{ id: number; hold_id: number }, SQLQueryBindings[]>(sql);
    const endId = this.#lastId + 1;
    for (let id = firstId; id < endId; id += ENTRIES_AT_ONCE) {
      yield query.all(id, Math.min(endId, id + ENTRIES_AT_ONCE), ...asked.map(([, value]) => value));
    }
  }

  *#closingsOfAccount(
    firstId: number,
    { accountId, keyId, model }: RequestHistoryFilter,
  ): Generator<{ id: number; hold_id: number | null }[]> {
    const asked = restrictedColumns({ keyId, model });
    const conditions = ["true", ...asked.map(([column]) => `${column} = ?`)];
    const sql = `select id, iif(${conditions.join(" and ")}, hold_id, null) as hold_id from entries indexed by entries_account
      where account_id = ? and kind <> 'hold' and id >= ? order by id limit ?`;
    const query = this.#file.query<{ id: number; hold_id: number | null }, SQLQueryBindings[]>(sql);
    for (let id = firstId; ;) {
      const found = query.all(...asked.map(([, value]) => value), accountId!, id, ENTRIES_AT_ONCE);
      if (found.length === 0) return;
      yield found;
      id = found.at(-1)!.id + 1;
    }
  }

  /** All earlier holds are closed in the database. */
  get #oldestOpenId(): number {
    return this.#file.query<{ oldest_open_id: number }, []>("select oldest_open_id from tallied").get()?.oldest_open_id ?? 1;
  }

  get #lastId(): number {
    return this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  }
}
