import { picosOf, priceInForce, ratesFor, type Price } from "../money/price.ts";
import type { Usage } from "../money/usage.ts";
import { plus, type Measures } from "./measures.ts";

/** What the ledger has of one of the provider's models, within one tier of its prices. */
export interface LedgerUse {
  readonly upstreamModel: string | undefined;
  /** The version of the cost price that was in force for it, if the operator has set one. */
  readonly costVersion: string | undefined;
  /** How many of the bounds of tiers the prompts were above. */
  readonly tier: number;
  readonly requests: number;
  readonly usage: Usage;
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly begunBefore: number;
}

/** All that the ledger has of one model on one day. */
export interface LedgerModel {
  readonly day: string;
  /** Undefined where the provider's name of it was not written down. */
  readonly model: string | undefined;
  readonly measures: Measures;
  /** Whether its cost price is known. The cost is 0 otherwise, and means nothing. */
  readonly isPriced: boolean;
  readonly reasoningTokens: number;
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly begunBefore: number;
  readonly unansweredAttempts: number;
}

/** What the provider charges: as the operator has set it, or as the provider publishes it. */
export interface CostPrices {
  /** By rising size: all of the bounds that their tiers have. */
  readonly tierBounds: readonly number[];
  /** The cost price of this version. */
  readonly recorded: (version: string) => Price | undefined;
  /** The versions of a model's list price, by rising date. None where it is not known. */
  readonly listed: (upstreamModel: string) => readonly Price[];
}

/** What a day's use comes to at cost prices, by the provider's names of models. */
export function ledgerDay(
  day: string,
  startMs: number,
  use: { readonly rows: readonly LedgerUse[]; readonly unansweredAttempts: ReadonlyMap<string, number> },
  prices: CostPrices,
): LedgerModel[] {
  const models = new Map<string | undefined, LedgerModel>();
  for (const row of use.rows) {
    const one = toModel(day, row, costOf(row, startMs, prices));
    const sum = models.get(row.upstreamModel);
    models.set(row.upstreamModel, sum ? together(sum, one) : one);
  }
  for (const [model, unansweredAttempts] of use.unansweredAttempts) {
    const sum = models.get(model) ?? toModel(day, { ...UNUSED, upstreamModel: model }, 0n);
    models.set(model, { ...sum, unansweredAttempts });
  }
  return [...models.values()];
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const UNUSED = {
  costVersion: undefined,
  tier: 0,
  requests: 0,
  usage: NO_USAGE,
  unmeasuredRequests: 0,
  unmeasuredTokens: 0,
  begunBefore: 0,
};

/** Within a tier a cost is the same for all tokens of a kind, so sums can be priced as single requests are. */
function costOf(use: LedgerUse, startMs: number, prices: CostPrices): bigint | undefined {
  const { tier, usage } = use;
  const price = costPriceOf(use, startMs, prices);
  return price && picosOf(usage, ratesFor(price, tier === 0 ? 0 : prices.tierBounds[tier - 1]! + 1));
}

function costPriceOf({ upstreamModel, costVersion }: LedgerUse, startMs: number, { recorded, listed }: CostPrices): Price | undefined {
  if (costVersion !== undefined) return recorded(costVersion);
  return upstreamModel === undefined ? undefined : priceInForce(listed(upstreamModel), startMs);
}

function toModel(day: string, row: LedgerUse, costPicos: bigint | undefined): LedgerModel {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = row.usage;
  const { requests, unmeasuredRequests, unmeasuredTokens, begunBefore } = row;
  const counts = {
    requests,
    input: promptTokens - cachedTokens - cacheWriteTokens,
    cached: cachedTokens,
    cacheWrite: cacheWriteTokens,
    output: completionTokens,
  };
  return {
    day,
    model: row.upstreamModel,
    measures: { counts, costPicos: costPicos ?? 0n },
    isPriced: costPicos !== undefined,
    reasoningTokens,
    unmeasuredRequests,
    unmeasuredTokens,
    begunBefore,
    unansweredAttempts: 0,
  };
}

export function together(one: LedgerModel, other: LedgerModel): LedgerModel {
  return {
    day: one.day,
    model: one.model,
    measures: plus(one.measures, other.measures),
    isPriced: one.isPriced && other.isPriced,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    unmeasuredRequests: one.unmeasuredRequests + other.unmeasuredRequests,
    unmeasuredTokens: one.unmeasuredTokens + other.unmeasuredTokens,
    begunBefore: one.begunBefore + other.begunBefore,
    unansweredAttempts: one.unansweredAttempts + other.unansweredAttempts,
  };
}
