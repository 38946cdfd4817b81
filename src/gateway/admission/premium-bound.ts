import type { Model } from "../../models/catalog.ts";
import type { Nanos } from "../../money/money.ts";
import { feesFor, higher, mapRates, MILLION, multiplied, toNanos, type Price, type Rates } from "../../money/price.ts";
import type { PremiumDemand, PremiumOffer } from "../../requests/premium-demand.ts";
import type { FindUpstream } from "../gateway.ts";
import type { ModelRequest } from "../formats/caller-format.ts";

/** What a price sells besides tokens at the usual rates. */
class PriceOffer implements PremiumOffer {
  readonly #price: Price;

  constructor(price: Price) {
    this.#price = price;
  }

  hourWrites(): boolean {
    return this.#price.rates.cacheWriteHourPicos !== undefined;
  }

  multiplier(option: string): boolean {
    return this.#price.multipliers?.[option] !== undefined;
  }

  tool(name: string): boolean {
    return this.#price.toolFees?.[name] !== undefined;
  }

  compaction(): boolean {
    return true;
  }
}

/**
 * What of a request is sold at this price, so that the hold must cover it. Undefined for most requests, and if no upstream of the model
 * receives the client's own body: translations do without. Throws for what is not sold.
 */
export function premiumIn(request: ModelRequest, model: Model, findUpstream: FindUpstream, price: Price): PremiumDemand | undefined {
  // Without a closure, which would cost the requests that ask for nothing.
  if (!request.premium) return undefined;
  request.refuseUnsold!(new PriceOffer(price));
  return isRelayedBy(request, model, findUpstream) ? request.premium : undefined;
}

function isRelayedBy({ relayed }: ModelRequest, { routes }: Model, findUpstream: FindUpstream): boolean {
  if (!relayed) return false;
  return routes.some(({ upstream, upstreamModel }) => findUpstream(upstream)?.relays?.(relayed.relayedAs, upstreamModel));
}

/** The part of a cost bound that depends on how often the model is sampled. */
export interface SampledBound {
  readonly inputTokens: number;
  /** The number of choices. Each choice may use all of its output tokens. */
  readonly choices: number;
  /** The fees for tools that run at the provider. */
  readonly feeNanos: Nanos;
}

/** The tokens that the result of one call of a tool is assumed to add to the prompt at most. */
const RESULT_TOKENS = 20_000;

/** Providers sample the model at most this often for one response: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
const MAX_SAMPLINGS = 11;

/**
 * The bound of a request with premium features. Each call of a tool at the provider, and compaction, samples the model once more, with all
 * results so far. `output`: the most tokens of its output.
 */
export function premiumBound(bound: SampledBound, output: number, demand: PremiumDemand, model: Model, price: Price): SampledBound {
  const sold = Object.entries(demand.toolCalls).filter(([tool]) => price.toolFees?.[tool] !== undefined);
  const calls = sold.reduce((sum, [, count]) => sum + count, 0);
  const withTools = Math.min(1 + calls, MAX_SAMPLINGS);
  const samplings = withTools + Number(demand.isCompacted);
  // Each result is read again by all later samplings: at most if there is one call in each, and the others are in the first.
  const results = RESULT_TOKENS * ((withTools * (withTools - 1)) / 2 + (calls - withTools + 1) * (withTools - 1));
  const inputTokens = samplings === 1 ? bound.inputTokens : Math.ceil((bound.inputTokens + output) * samplings + results);
  return {
    inputTokens: Math.min(inputTokens, (model.contextWindow ?? Number.POSITIVE_INFINITY) * samplings),
    choices: demand.isCompacted ? bound.choices * 2 : bound.choices,
    feeNanos: toNanos(feesFor(Object.fromEntries(sold), price)),
  };
}

/** A price with the highest rates that can apply: the provider may serve a request without its options. */
export function highestPrice(price: Price, demand: PremiumDemand): Price {
  const raising = [...demand.multipliers].filter((option) => (price.multipliers?.[option] ?? MILLION) > MILLION);
  const raised = (picos: bigint): bigint => multiplied(picos, raising, price);
  const highest = (rates: Rates): Rates => {
    const { cacheWritePicos, cacheWriteHourPicos = 0n } = rates;
    const forHour = demand.hasHourWrites ? cacheWriteHourPicos : 0n;
    return mapRates({ ...rates, cacheWritePicos: higher(cacheWritePicos, forHour) }, raised);
  };
  return { ...price, rates: highest(price.rates), tiers: price.tiers.map((tier) => ({ ...tier, rates: highest(tier.rates) })) };
}
