import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ProviderUse, ProviderUseFilter } from "../ledger-record-store.ts";
import { ProviderUseSums, type AttemptRow, type SumRow } from "../provider-use-sums.ts";
import { withNumbers } from "./entry-rows.ts";
import { idRangesOf, type IdRange } from "./id-ranges.ts";

/** Entries summed by one statement, which takes tens of milliseconds. */
const ENTRIES_AT_ONCE = 10_000;

const SUMS = `select entries.upstream_model, width_bucket(entries.prompt_tokens - 1, $1::bigint[]) as tier, entries.upstream,
    entries.cost_version, count(*) as requests, sum(entries.prompt_tokens)::bigint as prompt_tokens,
    sum(entries.cached_tokens)::bigint as cached_tokens, sum(entries.cache_write_tokens)::bigint as cache_write_tokens,
    sum(entries.completion_tokens)::bigint as completion_tokens, sum(entries.reasoning_tokens)::bigint as reasoning_tokens,
    count(*) filter (where entries.provenance <> 'measured') as unmeasured_requests,
    coalesce(sum(entries.prompt_tokens + entries.completion_tokens) filter (where entries.provenance <> 'measured'), 0)::bigint
      as unmeasured_tokens,
    count(*) filter (where holds.at_ms < $4) as begun_before
  from entries left join entries as holds on holds.id = entries.hold_id
  where entries.id between $2 and $3 and entries.at_ms >= $4 and entries.at_ms < $5 and entries.kind = 'settle'
    and entries.upstream = any($6::text[]) group by 1, 2, 3, 4`;

/** Attempts that were sent but not answered in full: the provider may have billed them. */
const ATTEMPTS = `select attempt ->> 'upstreamModel' as upstream_model, attempt ->> 'upstream' as upstream, count(*) as attempts
  from entries, json_array_elements(${readableJson("failed_attempts")}::json) as attempt
  where id between $1 and $2 and at_ms >= $3 and at_ms < $4 and failed_attempts is not null
    and attempt ->> 'fault' in ('slow', 'broken') and attempt ->> 'upstream' = any($5::text[]) group by 1, 2`;

/** Sums the usage that a provider may bill, from the entries, with one statement for each slice of entries. */
export async function readProviderUse(pool: PostgresPool, filter: ProviderUseFilter): Promise<ProviderUse> {
  const sums = new ProviderUseSums();
  for await (const range of idRangesOf(pool, filter.fromMs, filter.toMs, ENTRIES_AT_ONCE)) {
    sums.add(...(await Promise.all([sumsIn(pool, filter, range), attemptsIn(pool, filter, range)])));
  }
  return sums.total;
}

async function sumsIn(pool: PostgresPool, filter: ProviderUseFilter, { firstId, lastId }: IdRange): Promise<SumRow[]> {
  const { fromMs, toMs, upstreams, tierBounds } = filter;
  const rows = await pool.query<SumRow>(SUMS, [tierBounds, firstId, lastId, fromMs, toMs, upstreams]);
  return rows.map(withNumbers);
}

async function attemptsIn(pool: PostgresPool, filter: ProviderUseFilter, { firstId, lastId }: IdRange): Promise<AttemptRow[]> {
  const { fromMs, toMs, upstreams } = filter;
  const rows = await pool.query<AttemptRow>(ATTEMPTS, [firstId, lastId, fromMs, toMs, upstreams]);
  return rows.map(withNumbers);
}

/**
 * A column of JSON text in a form that PostgreSQL can read. The text may have the escape of a NUL character or of half a surrogate pair, if
 * an upstream has sent it in an error message: the server stores such escapes, but rejects a whole statement that reads one. Few rows have
 * any escape. After an escaped backslash, `u0000` is plain text, and stays.
 */
function readableJson(column: string): string {
  return String.raw`(case when strpos(${column}, '\u') = 0 then ${column}
    else regexp_replace(${column}, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g') end)`;
}
