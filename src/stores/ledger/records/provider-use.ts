import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import { mapValues } from "../../../money/price.ts";
import type { PremiumUse } from "../../../money/usage.ts";
import type { ProviderUse, ProviderUseFilter, ProviderUseRow } from "../ledger-record-store.ts";
import { readPremium } from "./entry-columns.ts";
import { Parameters, slicesOf, type IdRange, type LedgerRows } from "./ledger-rows.ts";

/** The usage in some entries, as summed by a query. */
interface SumRow {
  readonly upstream: string;
  readonly upstream_model: string | null;
  readonly cost_version: string | null;
  readonly tier: number;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly premium: string | null;
  readonly unmeasured_requests: number;
  readonly unmeasured_tokens: number;
  readonly started_before: number;
}

const TOKENS = ["prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens", "reasoning_tokens"] as const;

/** Sums the usage that a provider may bill, from the entries, with one query for each slice of entries. */
export async function readProviderUse(rows: LedgerRows, filter: ProviderUseFilter): Promise<ProviderUse> {
  const byName = new Map<string, ProviderUseRow>();
  const unansweredAttempts = new Map<string, number>();
  const upstreams = new Set<string>();
  for (const slice of slicesOf(await rows.idRanges(filter.fromMs, filter.toMs), rows.sliceSize)) {
    const [sums, attempts] = await Promise.all([readSums(rows, filter, slice), readAttempts(rows, filter, slice)]);
    for (const sum of sums) {
      const row = fromRow(sum);
      const name = JSON.stringify([sum.upstream_model, row.tier, sum.cost_version, row.usage.premium?.multipliers]);
      const known = byName.get(name);
      byName.set(name, known ? plus(known, row) : row);
      upstreams.add(sum.upstream);
    }
    for (const { upstream, upstreamModel } of attempts) {
      unansweredAttempts.set(upstreamModel, (unansweredAttempts.get(upstreamModel) ?? 0) + 1);
      upstreams.add(upstream);
    }
    await rows.yieldAfterSlice();
  }
  return { rows: [...byName.values()], unansweredAttempts, upstreams };
}

function readSums(
  rows: LedgerRows,
  { fromMs, toMs, upstreams, tierBounds }: ProviderUseFilter,
  slice: IdRange,
): Promise<readonly SumRow[]> {
  const parameters = new Parameters();
  const from = parameters.add(fromMs);
  const tiers = tierBounds.map((bound) => `(case when entries.prompt_tokens > ${parameters.add(bound)} then 1 else 0 end)`);
  const sql = `select entries.upstream_model, ${["0", ...tiers].join(" + ")} as tier, entries.upstream, entries.cost_version,
      entries.premium, count(*) as requests, ${TOKENS.map((name) => `cast(sum(entries.${name}) as bigint) as ${name}`).join(", ")},
      count(*) filter (where entries.provenance <> 'measured') as unmeasured_requests,
      cast(coalesce(sum(entries.prompt_tokens + entries.completion_tokens) filter (where entries.provenance <> 'measured'), 0) as bigint)
        as unmeasured_tokens,
      count(*) filter (where holds.at_ms < ${from}) as started_before
    from entries ${rows.inIdOrder} left join entries as holds on holds.id = entries.hold_id
    where entries.id >= ${parameters.add(slice.firstId)} and entries.id <= ${parameters.add(slice.lastId)} and entries.at_ms >= ${from}
      and entries.at_ms < ${parameters.add(toMs)} and entries.kind = 'settle' and entries.upstream in ${parameters.addAll(upstreams)}
    group by 1, 2, 3, 4, 5`;
  return rows.all<SumRow>(sql, parameters.values);
}

/** Attempts that were sent but not answered in full: the provider may have billed them. */
async function readAttempts(rows: LedgerRows, { fromMs, toMs, upstreams }: ProviderUseFilter, slice: IdRange): Promise<FailedAttempt[]> {
  const sql = `select failed_attempts from entries ${rows.inIdOrder}
    where id >= $1 and id <= $2 and at_ms >= $3 and at_ms < $4 and failed_attempts is not null`;
  const found = await rows.all<{ failed_attempts: string }>(sql, [slice.firstId, slice.lastId, fromMs, toMs]);
  const attempts = found.flatMap(({ failed_attempts: text }) => JSON.parse(text) as FailedAttempt[]);
  return attempts.filter(({ fault, upstream }) => (fault === "slow" || fault === "broken") && upstreams.includes(upstream));
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
      ...premiumOf(row),
    },
    unmeasuredRequests: row.unmeasured_requests,
    unmeasuredTokens: row.unmeasured_tokens,
    startedBefore: row.started_before,
  };
}

/** All requests of a row have used the same. */
function premiumOf({ premium: text, requests }: SumRow): { readonly premium: PremiumUse } | undefined {
  const each = readPremium(text)?.premium;
  if (!each) return undefined;
  const { hourWriteTokens, toolCalls, multipliers } = each;
  return {
    premium: { hourWriteTokens: hourWriteTokens * requests, toolCalls: mapValues(toolCalls, (calls) => calls * requests), multipliers },
  };
}

/** Both have the same multipliers. */
function plusPremium(one: PremiumUse | undefined, other: PremiumUse | undefined): { readonly premium: PremiumUse } | undefined {
  if (!one || !other) return one || other ? { premium: (one ?? other)! } : undefined;
  const sums = new Map(Object.entries(one.toolCalls));
  for (const [tool, calls] of Object.entries(other.toolCalls)) sums.set(tool, (sums.get(tool) ?? 0) + calls);
  const toolCalls = Object.fromEntries(sums);
  return { premium: { ...one, hourWriteTokens: one.hourWriteTokens + other.hourWriteTokens, toolCalls } };
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
      ...plusPremium(one.usage.premium, other.usage.premium),
    },
    unmeasuredRequests: one.unmeasuredRequests + other.unmeasuredRequests,
    unmeasuredTokens: one.unmeasuredTokens + other.unmeasuredTokens,
    startedBefore: one.startedBefore + other.startedBefore,
  };
}
