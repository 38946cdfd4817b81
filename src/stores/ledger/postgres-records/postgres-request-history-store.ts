import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { ANSWERING_MODEL, fromHistoryRow, requestColumn, restrictedColumns, type HistoryRow } from "../history-rows.ts";
import type { HistoricalRequest, RequestHistoryFilter, RequestHistoryStore } from "../request-history-store.ts";
import { withNumbers } from "./entry-rows.ts";
import { idRangesOf } from "./id-ranges.ts";
import { Parameters } from "./parameters.ts";

/** Entries in one batch. */
const ENTRIES_AT_ONCE = 1000;
/** Ids of entries that one statement reads. */
const IDS_AT_ONCE = 10_000;

/** Amounts are read as text, because the other integers become numbers. */
const COLUMNS = `h.id, h.account_id, h.key_id, h.model as requested_model, ${ANSWERING_MODEL} as model, h.at_ms, h.amount_nanos::text as held_nanos, h.attribution, e.id as end_id, e.kind,
  e.at_ms as ended_at_ms, e.price_version, e.amount_nanos::text as charged_nanos, e.prompt_tokens, e.cached_tokens, e.cache_write_tokens,
  e.completion_tokens, e.reasoning_tokens, e.upstream`;

/** Holds with their closing entries, from PostgreSQL. Requests whose hold was not shipped yet are missing. */
export class PostgresRequestHistoryStore implements RequestHistoryStore {
  readonly #pool: PostgresPool;
  readonly #catchUp: () => Promise<void>;
  #lastRead: Promise<unknown> = Promise.resolve();

  /** `catchUp` ships the pending entries of this process, if it serves requests. */
  constructor(pool: PostgresPool, catchUp: () => Promise<void>) {
    this.#pool = pool;
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
      if (signal?.aborted) return;
    }
  }

  async *#batchesOf(filter: RequestHistoryFilter): AsyncGenerator<HistoricalRequest[]> {
    if (filter.accountId !== undefined || filter.model !== undefined) return yield* this.#byClosings(filter);
    for await (const { firstId, lastId } of idRangesOf(this.#pool, filter.sinceMs, Number.MAX_SAFE_INTEGER, ENTRIES_AT_ONCE)) {
      yield await this.#readHolds(filter, (parameters) => `between ${parameters.add(firstId)} and ${parameters.add(lastId)}`);
    }
  }

  /**
   * The holds of an account have no index. Its closing entries have one, so only these are read. Only the closing entry has the model that
   * answered: a search by holds would have to look up the closing entry of every hold.
   */
  async *#byClosings(filter: RequestHistoryFilter): AsyncGenerator<HistoricalRequest[]> {
    const holds = new Set<number>();
    // Open holds are read first: if a request ends meanwhile, its closing entry is found.
    for (const id of await this.#openHolds(filter)) holds.add(id);
    const closed = filter.accountId === undefined ? this.#allClosedHolds(filter) : this.#closedHoldsOf(filter, filter.accountId);
    for await (const ids of closed) {
      for (const id of ids) holds.add(id);
      yield [];
    }
    const inOrder = [...holds].toSorted((one, other) => one - other);
    for (let at = 0; at < inOrder.length; at += ENTRIES_AT_ONCE) {
      const ids = inOrder.slice(at, at + ENTRIES_AT_ONCE);
      yield await this.#readHolds(filter, (parameters) => `= any(${parameters.add(ids)}::bigint[])`);
    }
  }

  /** The requests whose hold ids satisfy this condition, in order. */
  async #readHolds({ sinceMs, ...named }: RequestHistoryFilter, idIs: (parameters: Parameters) => string): Promise<HistoricalRequest[]> {
    const parameters = new Parameters();
    const conditions = [
      `h.id ${idIs(parameters)}`,
      `h.at_ms >= ${parameters.add(sinceMs)}`,
      ...restrictedColumns(named).map(([column, value]) => `${requestColumn(column)} = ${parameters.add(value)}`),
    ];
    const sql = `select ${COLUMNS} from entries h left join entries e on e.request_id = h.request_id and e.kind in ('settle', 'release')
      where h.kind = 'hold' and ${conditions.join(" and ")} order by h.id`;
    const rows = await this.#pool.query<HistoryRow>(sql, parameters.values);
    return rows.map((row) => fromHistoryRow(withNumbers(row)));
  }

  async #openHolds({ accountId }: RequestHistoryFilter): Promise<number[]> {
    const rows = await this.#pool.query<{ hold_id: bigint }>("select hold_id from open_holds where $1::text is null or account_id = $1", [
      accountId ?? null,
    ]);
    return rows.map(({ hold_id: id }) => Number(id));
  }

  async *#allClosedHolds({ sinceMs, keyId, model }: RequestHistoryFilter): AsyncGenerator<number[]> {
    for await (const { firstId, lastId } of idRangesOf(this.#pool, sinceMs, Number.MAX_SAFE_INTEGER, IDS_AT_ONCE)) {
      const parameters = new Parameters();
      const conditions = [
        `id between ${parameters.add(firstId)} and ${parameters.add(lastId)}`,
        ...restrictedColumns({ keyId, model }).map(([column, value]) => `${column} = ${parameters.add(value)}`),
      ];
      const sql = `select hold_id from entries where kind in ('settle', 'release') and ${conditions.join(" and ")}`;
      yield (await this.#pool.query<{ hold_id: bigint }>(sql, parameters.values)).map(({ hold_id: id }) => Number(id));
    }
  }

  /** Reads pages, in the order of the closing entries. */
  async *#closedHoldsOf({ sinceMs, keyId, model }: RequestHistoryFilter, accountId: string): AsyncGenerator<number[]> {
    let afterId = (await this.#firstIdFrom(sinceMs)) - 1;
    const parameters = new Parameters();
    const wanted = ["true", ...restrictedColumns({ keyId, model }).map(([column, value]) => `${column} = ${parameters.add(value)}`)];
    // `hold_id` is null for requests of other keys or models, and for grants and adjustments: so a page takes the same time however many
    // entries match.
    const sql = `select id, case when ${wanted.join(" and ")} then hold_id end as hold_id from entries
      where account_id = ${parameters.add(accountId)} and kind <> 'hold' and id > $${parameters.values.length + 1}
      order by id limit ${IDS_AT_ONCE}`;
    for (;;) {
      const rows = await this.#pool.query<{ id: bigint; hold_id: bigint | null }>(sql, [...parameters.values, afterId]);
      yield rows.flatMap(({ hold_id: id }) => (id === null ? [] : Number(id)));
      if (rows.length < IDS_AT_ONCE) return;
      afterId = Number(rows.at(-1)!.id);
    }
  }

  /** A lower bound of the ids from a moment on: all earlier entries are older. */
  async #firstIdFrom(ms: number): Promise<number> {
    for await (const { firstId } of idRangesOf(this.#pool, ms, Number.MAX_SAFE_INTEGER, IDS_AT_ONCE)) return firstId;
    return 1;
  }
}
