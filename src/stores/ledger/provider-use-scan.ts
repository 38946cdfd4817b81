import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import { endIdBefore, firstIdFrom } from "./tables/entry-id-at-time.ts";
import type { ProviderUse, ProviderUseFilter } from "./ledger-record-store.ts";
import { ProviderUseSums, type AttemptRow, type SumRow } from "./provider-use-sums.ts";

/** Entries summed in one turn: the event loop is blocked for a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

/** Sums the usage that a provider may bill, from the entries, in slices between which requests are served. */
export async function scanProviderUse(file: SqliteFile, filter: ProviderUseFilter): Promise<ProviderUse> {
  const sums = new ProviderUseSums();
  const endId = endIdBefore(file, filter.toMs);
  for (let id = firstIdFrom(file, filter.fromMs); id < endId; id += ENTRIES_AT_ONCE) {
    const nextId = Math.min(endId, id + ENTRIES_AT_ONCE);
    sums.add(sumsIn(file, filter, id, nextId), attemptsIn(file, filter, id, nextId));
    await nextTurn();
  }
  return sums.total;
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
