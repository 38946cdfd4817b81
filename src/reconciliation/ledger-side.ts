import { picosOf, priceInForce, ratesFor, type Price } from "../money/price.ts";
import type { Usage } from "../money/usage.ts";
import { plus, type Measures } from "./measures.ts";

/** The ledger's usage of one of the provider's models, within one price tier. */
export interface LedgerUse {
  readonly upstreamModel: string | undefined;
  /** The version of the cost price that was in force, if one was known. */
  readonly costVersion: string | undefined;
  /** The number of tier bounds below the length of the prompts. */
  readonly tier: number;
  readonly requests: number;
  readonly usage: Usage;
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly startedBefore: number;
}

/** The ledger's usage of one model on one day. */
export interface LedgerModel {
  readonly day: string;
  /** Undefined if the provider's model name was not recorded. */
  readonly model: string | undefined;
  readonly measures: Measures;
  /** Whether the cost price is known. Otherwise the cost is 0 and meaningless. */
  readonly isPriced: boolean;
  readonly reasoningTokens: number;
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly startedBefore: number;
  readonly unansweredAttempts: number;
}

/** The cost prices: as set by the operator, or the provider's list prices. */
export interface CostPrices {
  /** All tier bounds, in ascending order. */
  readonly tierBounds: readonly number[];
  /** The cost price of this version. */
  readonly recorded: (version: string) => Price | undefined;
  /** The versions of a model's list price, by ascending date; empty if unknown. */
  readonly listed: (upstreamModel: string) => readonly Price[];
}

/** The usage of a day at cost prices, by the provider's model names. */
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
  startedBefore: 0,
};

/** Within a tier the rate is the same for all tokens of a kind, so sums can be priced like single requests. */
function costOf(use: LedgerUse, startMs: number, prices: CostPrices): bigint | undefined {
  const { tier, usage } = use;
  const price = costPriceOf(use, startMs, prices);
  return price && picosOf(usage, price, ratesFor(price, tier === 0 ? 0 : prices.tierBounds[tier - 1]! + 1));
}

function costPriceOf({ upstreamModel, costVersion }: LedgerUse, startMs: number, { recorded, listed }: CostPrices): Price | undefined {
  const atThatTime = costVersion === undefined ? undefined : recorded(costVersion);
  const isUnknown = costVersion !== undefined && !atThatTime;
  if (isUnknown || atThatTime?.source === "operator" || upstreamModel === undefined) return atThatTime;
  // The published price may have been corrected since then.
  return priceInForce(listed(upstreamModel), startMs) ?? atThatTime;
}

function toModel(day: string, row: LedgerUse, costPicos: bigint | undefined): LedgerModel {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = row.usage;
  const { requests, unmeasuredRequests, unmeasuredTokens, startedBefore } = row;
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
    startedBefore,
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
    startedBefore: one.startedBefore + other.startedBefore,
    unansweredAttempts: one.unansweredAttempts + other.unansweredAttempts,
  };
}
