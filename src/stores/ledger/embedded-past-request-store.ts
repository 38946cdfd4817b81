import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import { firstIdFrom } from "./first-id-from.ts";
import type { PastEnd, PastFilter, PastRequest, PastRequestStore } from "./past-request-store.ts";

/** Entries looked at in one turn: a few milliseconds, in which nothing else can run. */
const ENTRIES_AT_ONCE = 1000;

/** Amounts are read as text: they may be larger than what a JavaScript number holds exactly. */
const COLUMNS = `h.id, h.account_id, h.key_id, h.model, h.at_ms, cast(h.amount_nanos as text) as held_nanos, e.id as end_id, e.kind,
  e.at_ms as ended_at_ms, e.price_version, cast(e.amount_nanos as text) as charged_nanos, e.prompt_tokens, e.cached_tokens,
  e.cache_write_tokens, e.completion_tokens, e.reasoning_tokens, e.upstream`;

interface PastRow {
  id: number;
  account_id: string;
  key_id: string;
  model: string;
  at_ms: number;
  held_nanos: string;
  /** Null, with all that is of the end, while it is under way. */
  end_id: number | null;
  kind: "settle" | "release";
  ended_at_ms: number;
  price_version: string;
  charged_nanos: string;
  prompt_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  upstream: string;
}

/** Holds with their ends, from the embedded database. One reader at a time, so that two take no more of a turn than one. */
export class EmbeddedPastRequestStore implements PastRequestStore {
  readonly #file: SqliteFile;
  #lastOne: Promise<unknown> = Promise.resolve();

  /** The connection is for this alone: what is read here once must not push out of a cache what requests need. */
  constructor(file: SqliteFile) {
    this.#file = file;
  }

  each(filter: PastFilter, take: (requests: readonly PastRequest[]) => void, signal?: AbortSignal): Promise<void> {
    const done = this.#lastOne.then(() => this.#each(filter, take, signal));
    this.#lastOne = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  async #each(filter: PastFilter, take: (requests: readonly PastRequest[]) => void, signal?: AbortSignal): Promise<void> {
    const slice = this.#sliceOf(filter);
    const endId = this.#lastId + 1;
    for (let id = firstIdFrom(this.#file, filter.sinceMs); id < endId; id += ENTRIES_AT_ONCE) {
      if (signal?.aborted) return;
      take(slice(id, Math.min(endId, id + ENTRIES_AT_ONCE)));
      await nextTurn();
    }
  }

  #sliceOf({ sinceMs, accountId, keyId, model }: PastFilter): (id: number, nextId: number) => PastRequest[] {
    const asked = Object.entries({ account_id: accountId, key_id: keyId, model }).filter(([, value]) => value !== undefined);
    const conditions = ["h.at_ms >= ?", "h.id >= ?", "h.id < ?", ...asked.map(([column]) => `h.${column} = ?`)];
    // Holds stand in no index. They are read in the order of their ids, and each end is found by its own index.
    const sql = `select ${COLUMNS} from entries h not indexed
      left join entries e on e.request_id = h.request_id and e.kind in ('settle', 'release')
      where h.kind = 'hold' and ${conditions.join(" and ")} order by h.id`;
    const query = this.#file.query<PastRow, SQLQueryBindings[]>(sql);
    return (id, nextId) => query.all(sinceMs, id, nextId, ...asked.map(([, value]) => value!)).map(fromRow);
  }

  get #lastId(): number {
    return this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  }
}

function fromRow(row: PastRow): PastRequest {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    atMs: row.at_ms,
    heldNanos: BigInt(row.held_nanos),
    end: row.end_id === null ? undefined : endOf(row, row.end_id),
  };
}

function endOf(row: PastRow, id: number): PastEnd {
  const usage = {
    promptTokens: row.prompt_tokens,
    cachedTokens: row.cached_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
  };
  return {
    id,
    atMs: row.ended_at_ms,
    priceVersion: row.price_version,
    chargedNanos: BigInt(row.charged_nanos),
    answer: row.kind === "settle" ? { usage, upstream: row.upstream } : undefined,
  };
}
