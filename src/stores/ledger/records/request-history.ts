import { readAttribution } from "../../../money/attribution.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { HistoricalClosing, HistoricalRequest, RequestHistoryFilter, RequestHistoryStore } from "../request-history-store.ts";
import { readPremium } from "./entry-columns.ts";
import { Parameters, slicesOf, type IdRange, type LedgerRows } from "./ledger-rows.ts";

/** Closed requests in one batch. With SQLite a batch blocks the event loop for a few milliseconds. */
const REQUESTS_AT_ONCE = 1000;

/** The model of a request with the hold `h` and the closing entry `e`. It differs from the model in the hold if a fallback answered. */
const ANSWERING_MODEL = "coalesce(e.model, h.model)";

/** Amounts are read as text: they may exceed the exact range of a JavaScript number. */
const COLUMNS = `h.id, h.account_id, h.key_id, h.model as requested_model, ${ANSWERING_MODEL} as model, h.at_ms,
  cast(h.amount_nanos as text) as held_nanos, h.attribution, e.id as end_id, e.kind,
  e.at_ms as ended_at_ms, e.price_version, cast(e.amount_nanos as text) as charged_nanos, e.prompt_tokens, e.cached_tokens,
  e.cache_write_tokens, e.completion_tokens, e.reasoning_tokens, e.premium, e.upstream`;

/** A hold with its closing entry. */
interface HistoryRow {
  readonly id: number;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly requested_model: string;
  readonly at_ms: number;
  readonly held_nanos: string;
  readonly attribution: string | null;
  /** Null while the request is in flight, like all columns of the closing entry. */
  readonly end_id: number | null;
  readonly kind: "settle" | "release";
  readonly ended_at_ms: number;
  readonly price_version: string;
  readonly charged_nanos: string;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly premium: string | null;
  readonly upstream: string;
}

/** The ids of a closing entry and its hold. The hold is null for requests of other keys or models, and for grants and adjustments. */
interface ClosingRow {
  readonly id: number;
  readonly hold_id: number | null;
}

/** Holds with their closing entries. One reader at a time: with SQLite two readers would double the time of a turn of the event loop. */
export class LedgerRequestHistory implements RequestHistoryStore {
  readonly #rows: LedgerRows;
  readonly #catchUp: () => void | Promise<void>;
  #lastRead: Promise<unknown> = Promise.resolve();

  /**
   * In SQLite, `rows` are read on a separate connection: a scan must not evict the pages that requests need from the page cache. `catchUp`
   * writes the pending entries of this process to the database.
   */
  constructor(rows: LedgerRows, catchUp: () => void | Promise<void>) {
    this.#rows = rows;
    this.#catchUp = catchUp;
  }

  each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void> {
    const done = this.#lastRead.then(() => this.#each(filter, take, signal));
    this.#lastRead = done.catch(() => undefined);
    return done;
  }

  async #each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void> {
    if (signal?.aborted) return;
    await this.#catchUp();
    for await (const requests of this.#batchesOf(filter)) {
      take(requests);
      await this.#rows.yieldAfterSlice();
      if (signal?.aborted) return;
    }
  }

  /** The batches, one for each slice. A batch may be empty. */
  async *#batchesOf(filter: RequestHistoryFilter): AsyncGenerator<HistoricalRequest[]> {
    // Read before the ranges, which then contain the closing entries of all older holds: a request that ends between the two is still
    // found by its hold.
    const openId = await this.#rows.oldestOpenId();
    const ranges = await this.#rows.idRanges(filter.sinceMs, Number.MAX_SAFE_INTEGER);
    if (filter.accountId === undefined && filter.model === undefined) return yield* this.#byHolds(filter, ranges);
    // The index of the closing entries by account avoids reading other entries. Only the closing entry has the model that answered: a
    // search by holds would have to look up the closing entry of every hold. Requests that may be open have no closing entry.
    yield* this.#byClosings(filter, ranges, openId);
    yield* this.#byHolds(
      filter,
      ranges.map(({ firstId, lastId }) => ({ firstId: Math.max(firstId, openId), lastId })),
    );
  }

  async *#byHolds({ sinceMs, ...named }: RequestHistoryFilter, ranges: readonly IdRange[]): AsyncGenerator<HistoricalRequest[]> {
    for (const { firstId, lastId } of slicesOf(ranges, this.#rows.sliceSize)) {
      const parameters = new Parameters();
      const conditions = [
        `h.id >= ${parameters.add(firstId)} and h.id <= ${parameters.add(lastId)} and h.at_ms >= ${parameters.add(sinceMs)}`,
        ...restrictedColumns(named).map(
          ([name, value]) => `${name === "model" ? ANSWERING_MODEL : `h.${name}`} = ${parameters.add(value)}`,
        ),
      ];
      // Holds have no index: they are read in order of their ids, and their closing entries by index.
      const sql = `select ${COLUMNS} from entries h ${this.#rows.inIdOrder}
        left join entries e on e.request_id = h.request_id and e.kind in ('settle', 'release')
        where h.kind = 'hold' and ${conditions.join(" and ")} order by h.id`;
      yield (await this.#rows.all<HistoryRow>(sql, parameters.values)).map(fromRow);
    }
  }

  /** The requests of an account or a model whose holds have lower ids than `openId`: all of these are closed. */
  async *#byClosings(filter: RequestHistoryFilter, ranges: readonly IdRange[], openId: number): AsyncGenerator<HistoricalRequest[]> {
    const firstId = ranges[0]?.firstId ?? openId;
    /** Closing entries are found in their own order. Maps each block of 1,000 hold ids to the ids of the closing entries. */
    const ends = new Map<number, number[]>();
    for await (const found of filter.accountId === undefined
      ? this.#allClosings(filter, ranges)
      : this.#closingsOfAccount(filter, firstId)) {
      for (const { id, hold_id: holdId } of found) {
        if (holdId === null || holdId < firstId || holdId >= openId) continue;
        const block = Math.floor(holdId / REQUESTS_AT_ONCE);
        if (ends.get(block)?.push(id) === undefined) ends.set(block, [id]);
      }
      yield [];
    }
    for (const [, ids] of [...ends].toSorted(([a], [b]) => a - b)) yield await this.#closed(ids, filter.sinceMs);
  }

  async #closed(ids: readonly number[], sinceMs: number): Promise<HistoricalRequest[]> {
    const sql = `select ${COLUMNS} from ${this.#rows.idList("$1")} as ended cross join entries e cross join entries h
      where e.id = ended.value and h.id = e.hold_id and h.at_ms >= $2 order by h.id`;
    return (await this.#rows.all<HistoryRow>(sql, [JSON.stringify(ids), sinceMs])).map(fromRow);
  }

  async *#allClosings({ keyId, model }: RequestHistoryFilter, ranges: readonly IdRange[]): AsyncGenerator<readonly ClosingRow[]> {
    for (const { firstId, lastId } of slicesOf(ranges, this.#rows.sliceSize)) {
      const parameters = new Parameters();
      const wanted = restrictedColumns({ keyId, model }).map(([name, value]) => `${name} = ${parameters.add(value)}`);
      const sql = `select id, hold_id from entries ${this.#rows.inIdOrder} where id >= ${parameters.add(firstId)}
        and id <= ${parameters.add(lastId)} and kind in ('settle', 'release') and ${wanted.join(" and ")} order by id`;
      yield await this.#rows.all<ClosingRow>(sql, parameters.values);
    }
  }

  /** Reads pages, in the order of the closing entries. A page takes the same time however many entries match. */
  async *#closingsOfAccount({ accountId, keyId, model }: RequestHistoryFilter, firstId: number): AsyncGenerator<readonly ClosingRow[]> {
    for (let id = firstId; ;) {
      const parameters = new Parameters();
      const wanted = ["true", ...restrictedColumns({ keyId, model }).map(([name, value]) => `${name} = ${parameters.add(value)}`)];
      const sql = `select id, case when ${wanted.join(" and ")} then hold_id end as hold_id from entries
        where account_id = ${parameters.add(accountId)} and kind <> 'hold' and id >= ${parameters.add(id)}
        order by id limit ${this.#rows.sliceSize}`;
      const found = await this.#rows.all<ClosingRow>(sql, parameters.values);
      if (found.length === 0) return;
      yield found;
      id = found.at(-1)!.id + 1;
    }
  }
}

/** The columns that the filter restricts, with the required values. */
function restrictedColumns({ accountId, keyId, model }: Omit<RequestHistoryFilter, "sinceMs">): [column: string, value: string][] {
  const asked = { account_id: accountId, key_id: keyId, model };
  return Object.entries(asked).filter((each): each is [string, string] => each[1] !== undefined);
}

function fromRow(row: HistoryRow): HistoricalRequest {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    requestedModel: row.requested_model,
    atMs: row.at_ms,
    heldNanos: BigInt(row.held_nanos),
    attribution: readAttribution(row.attribution),
    end: row.end_id === null ? undefined : closingOf(row, row.end_id),
  };
}

function closingOf(row: HistoryRow, id: number): HistoricalClosing {
  const usage = {
    promptTokens: row.prompt_tokens,
    cachedTokens: row.cached_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
    ...readPremium(row.premium),
  };
  return {
    id,
    atMs: row.ended_at_ms,
    priceVersion: row.price_version,
    chargedNanos: BigInt(row.charged_nanos),
    answer: row.kind === "settle" ? { usage, upstream: row.upstream } : undefined,
  };
}
