import type { ProviderUse, ProviderUseRow } from "./ledger-record-store.ts";

/** The usage in some entries, as summed by a query. */
export interface SumRow {
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

export interface AttemptRow {
  upstream: string;
  upstream_model: string;
  attempts: number;
}

/** Adds up the usage that a provider may bill, from slices of the entries. */
export class ProviderUseSums {
  readonly #rows = new Map<string, ProviderUseRow>();
  readonly #attempts = new Map<string, number>();
  readonly #upstreams = new Set<string>();

  /** Adds a slice: its settlements, and its unanswered attempts. */
  add(sums: readonly SumRow[], attempts: readonly AttemptRow[]): void {
    for (const row of sums) {
      this.#addRow(fromRow(row));
      this.#upstreams.add(row.upstream);
    }
    for (const { upstream, upstream_model: name, attempts: count } of attempts) {
      this.#attempts.set(name, (this.#attempts.get(name) ?? 0) + count);
      this.#upstreams.add(upstream);
    }
  }

  get total(): ProviderUse {
    return { rows: [...this.#rows.values()], unansweredAttempts: this.#attempts, upstreams: this.#upstreams };
  }

  #addRow(row: ProviderUseRow): void {
    const name = JSON.stringify([row.upstreamModel ?? null, row.tier, row.costVersion ?? null]);
    const sum = this.#rows.get(name);
    this.#rows.set(name, sum ? plus(sum, row) : row);
  }
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
