import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import type { UsageFilter, UsageGroup, UsageRow } from "./ledger-store.ts";

/** Entries added up in one turn: a few milliseconds, in which nothing else can run. */
const ENTRIES_AT_ONCE = 2000;
/** By how much the order of entries may differ from that of their times, because somebody has put the clock right. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const GROUPS: Readonly<Record<UsageGroup, string>> = {
  day: `at_ms / ${DAY_MS}`,
  model: "model",
  key: "key_id",
  account: "account_id",
};

interface SumRow {
  name: string | number;
  requests: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  /** As text: it may be larger than what a JavaScript number holds exactly. */
  cost_nanos: string;
}

/**
 * Adds up what requests have used. Entries stand in the order of time, so those of a span are found by halving and no index
 * has to be kept for it, which every request would pay for. It goes on in slices, and one scan at a time, so that requests
 * are answered meanwhile.
 */
export class UsageScan {
  readonly #file: SqliteFile;
  #lastOne: Promise<unknown> = Promise.resolve();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  sum(filter: UsageFilter, by: UsageGroup): Promise<readonly UsageRow[]> {
    const rows = this.#lastOne.then(() => this.#sum(filter, by));
    this.#lastOne = rows.catch(() => undefined);
    return rows;
  }

  async #sum(filter: UsageFilter, by: UsageGroup): Promise<readonly UsageRow[]> {
    const sums = new Map<string, UsageRow>();
    const endId = this.#firstIdFrom(filter.toMs + CLOCK_SLACK_MS);
    for (let id = this.#firstIdFrom(filter.fromMs - CLOCK_SLACK_MS); id < endId;) {
      const nextId = Math.min(endId, this.#endOfSlice(filter.accountId, id));
      for (const row of this.#slice(filter, by, id, nextId)) add(sums, fromRow(row, by));
      id = nextId;
      await nextTurn();
    }
    return [...sums.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The first entry of this time or later, as far as the clock was right. Ids have no gaps. */
  #firstIdFrom(ms: number): number {
    let low = 1;
    let high = (this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0) + 1;
    const timeOf = this.#file.query<{ at_ms: number }, [number]>("select at_ms from entries where id = ?");
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (timeOf.get(middle)!.at_ms < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #endOfSlice(accountId: string | undefined, id: number): number {
    if (accountId === undefined) return id + ENTRIES_AT_ONCE;
    const sql = "select id from entries where account_id = ? and kind <> 'hold' and id >= ? order by id limit 1 offset ?";
    return this.#file.query<{ id: number }, [string, number, number]>(sql).get(accountId, id, ENTRIES_AT_ONCE)?.id ?? Infinity;
  }

  #slice(filter: UsageFilter, by: UsageGroup, id: number, nextId: number): SumRow[] {
    const conditions = ["id >= ?", "id < ?", "at_ms >= ?", "at_ms < ?", "kind = 'settle'"];
    const values: SQLQueryBindings[] = [id, nextId, filter.fromMs, filter.toMs];
    for (const [column, value] of [
      ["account_id", filter.accountId],
      ["key_id", filter.keyId],
      ["model", filter.model],
    ] as const) {
      if (value === undefined) continue;
      conditions.push(`${column} = ?`);
      values.push(value);
    }
    // An account's entries are found by their index, which leaves holds out; all others in the order of their ids.
    const from = filter.accountId === undefined ? "entries not indexed" : "entries indexed by entries_account";
    const sql = `select ${GROUPS[by]} as name, count(*) as requests, sum(prompt_tokens) as prompt_tokens, sum(cached_tokens) as cached_tokens,
      sum(completion_tokens) as completion_tokens, cast(sum(amount_nanos) as text) as cost_nanos
      from ${from} where kind <> 'hold' and ${conditions.join(" and ")} group by 1`;
    return this.#file.query<SumRow, SQLQueryBindings[]>(sql).all(...values);
  }
}

function fromRow(row: SumRow, by: UsageGroup): UsageRow {
  return {
    name: by === "day" ? new Date(Number(row.name) * DAY_MS).toISOString().slice(0, 10) : String(row.name),
    requests: row.requests,
    promptTokens: row.prompt_tokens,
    cachedTokens: row.cached_tokens,
    completionTokens: row.completion_tokens,
    costNanos: BigInt(row.cost_nanos),
  };
}

function add(sums: Map<string, UsageRow>, row: UsageRow): void {
  const sum = sums.get(row.name);
  if (!sum) return void sums.set(row.name, row);
  sums.set(row.name, {
    name: row.name,
    requests: sum.requests + row.requests,
    promptTokens: sum.promptTokens + row.promptTokens,
    cachedTokens: sum.cachedTokens + row.cachedTokens,
    completionTokens: sum.completionTokens + row.completionTokens,
    costNanos: sum.costNanos + row.costNanos,
  });
}
