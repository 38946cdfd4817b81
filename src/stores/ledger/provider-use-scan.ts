import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import { endIdBefore, firstIdFrom } from "./tables/entry-id-at-time.ts";
import type { ProviderUse, ProviderUseFilter, ProviderUseRow } from "./ledger-record-store.ts";

/** Entries summed in one turn: the event loop is blocked for a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

interface SumRow {
  upstream: string;
  upstream_model: string | null;
  cost_version: string | null;
  tier: number;
  requests: number;
  prompt_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  unmeasured_requests: number;
  unmeasured_tokens: number;
  begun_before: number;
}

interface AttemptRow {
  upstream: string;
  upstream_model: string;
  attempts: number;
}

/** Sums the usage that a provider may bill, from the entries, in slices between which requests are served. */
export async function scanProviderUse(file: SqliteFile, filter: ProviderUseFilter): Promise<ProviderUse> {
  const rows = new Map<string, ProviderUseRow>();
  const attempts = new Map<string, number>();
  const upstreams = new Set<string>();
  const endId = endIdBefore(file, filter.toMs);
  for (let id = firstIdFrom(file, filter.fromMs); id < endId; id += ENTRIES_AT_ONCE) {
    const nextId = Math.min(endId, id + ENTRIES_AT_ONCE);
    for (const row of sumsIn(file, filter, id, nextId)) {
      add(rows, fromRow(row));
      upstreams.add(row.upstream);
    }
    for (const { upstream, upstream_model: name, attempts: count } of attemptsIn(file, filter, id, nextId)) {
      attempts.set(name, (attempts.get(name) ?? 0) + count);
      upstreams.add(upstream);
    }
    await nextTurn();
  }
  return { rows: [...rows.values()], unansweredAttempts: attempts, upstreams };
}

function sumsIn(file: SqliteFile, { fromMs, toMs, upstreams, tierBounds }: ProviderUseFilter, id: number, nextId: number): SumRow[] {
  const tier = ["0", ...tierBounds.map(() => "(prompt_tokens > ?)")].join(" + ");
  const sql = `select upstream_model, ${tier} as tier, upstream, cost_version, count(*) as requests, sum(prompt_tokens) as prompt_tokens,
    sum(cached_tokens) as cached_tokens, sum(cache_write_tokens) as cache_write_tokens, sum(completion_tokens) as completion_tokens,
    sum(reasoning_tokens) as reasoning_tokens, sum(provenance <> 'measured') as unmeasured_requests,
    sum(iif(provenance <> 'measured', prompt_tokens + completion_tokens, 0)) as unmeasured_tokens,
    sum((select at_ms from entries as holds where holds.id = entries.hold_id) < ?) as begun_before
    from entries not indexed where id >= ? and id < ? and at_ms >= ? and at_ms < ? and kind = 'settle'
    and upstream in (${placesFor(upstreams)}) group by 1, 2, 3, 4`;
  const values = [...tierBounds, fromMs, id, nextId, fromMs, toMs, ...upstreams];
  return file.query<SumRow, SQLQueryBindings[]>(sql).all(...values);
}

/** Attempts that were sent and not answered in full: the provider may have billed them. */
function attemptsIn(file: SqliteFile, { fromMs, toMs, upstreams }: ProviderUseFilter, id: number, nextId: number): AttemptRow[] {
  const sql = `select attempt.value ->> 'upstreamModel' as upstream_model, attempt.value ->> 'upstream' as upstream, count(*) as attempts
    from entries not indexed, json_each(entries.failed_attempts) as attempt
    where entries.id >= ? and entries.id < ? and at_ms >= ? and at_ms < ? and failed_attempts is not null
    and attempt.value ->> 'fault' in ('slow', 'broken') and attempt.value ->> 'upstream' in (${placesFor(upstreams)}) group by 1, 2`;
  return file.query<AttemptRow, SQLQueryBindings[]>(sql).all(id, nextId, fromMs, toMs, ...upstreams);
}

function placesFor(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

function fromRow(row: SumRow): ProviderUseRow {
  return {
    upstreamModel: row.upstream_model ?? undefined,
    costVersion: row.cost_version ?? undefined,
    tier: row.tier,
    requests: row.requests,
    usage: {
      promptTokens: row.prompt_tokens,
      cachedTokens: row.cached_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      completionTokens: row.completion_tokens,
      reasoningTokens: row.reasoning_tokens,
    },
    unmeasuredRequests: row.unmeasured_requests,
    unmeasuredTokens: row.unmeasured_tokens,
    startedBefore: row.begun_before,
  };
}

function add(rows: Map<string, ProviderUseRow>, row: ProviderUseRow): void {
  const name = JSON.stringify([row.upstreamModel ?? null, row.tier, row.costVersion ?? null]);
  const sum = rows.get(name);
  rows.set(name, sum ? plus(sum, row) : row);
}

function plus(one: ProviderUseRow, other: ProviderUseRow): ProviderUseRow {
  return {
    ...one,
    requests: one.requests + other.requests,
    usage: {
      promptTokens: one.usage.promptTokens + other.usage.promptTokens,
      cachedTokens: one.usage.cachedTokens + other.usage.cachedTokens,
      cacheWriteTokens: one.usage.cacheWriteTokens + other.usage.cacheWriteTokens,
      completionTokens: one.usage.completionTokens + other.usage.completionTokens,
      reasoningTokens: one.usage.reasoningTokens + other.usage.reasoningTokens,
    },
    unmeasuredRequests: one.unmeasuredRequests + other.unmeasuredRequests,
    unmeasuredTokens: one.unmeasuredTokens + other.unmeasuredTokens,
    startedBefore: one.startedBefore + other.startedBefore,
  };
}
