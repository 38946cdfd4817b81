import type { Model } from "../../models/catalog.ts";
import type { Nanos } from "../../money/money.ts";
import { feesFor, higher, mapRates, MILLION, multiplied, toNanos, valueOf, type Price, type Rates } from "../../money/price.ts";
import { takesHourWrites, takesTier } from "../../models/parameters/dialect-parameters.ts";
import { PremiumDemand, type PremiumOffer } from "../../requests/premium-demand.ts";
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
    return valueOf(this.#price.multipliers, option) !== undefined;
  }

  tool(name: string): boolean {
    return valueOf(this.#price.toolFees, name) !== undefined;
  }

  compaction(): boolean {
    return true;
  }
}

/**
 * What of a request is sold at this price, so that the hold must cover it. Undefined for most requests, and if no upstream of the model
 * receives it: translations do without. Throws for what is not sold.
 */
export function premiumIn(request: ModelRequest, model: Model, findUpstream: FindUpstream, price: Price): PremiumDemand | undefined {
  // Without a closure, which would cost the requests that ask for nothing.
  if (request.relayed && request.premium && isRelayedBy(request, model, findUpstream)) request.refuseUnsold!(new PriceOffer(price));
  return soldIn(request, model, findUpstream, price);
}

/** The same, without an error for what is not sold. */
export function soldIn(request: ModelRequest, model: Model, findUpstream: FindUpstream, price: Price): PremiumDemand | undefined {
  if (!request.relayed) return soldToChat(request, model, findUpstream, price);
  return request.premium && isRelayedBy(request, model, findUpstream) ? soldPart(request.premium, price) : undefined;
}

/** Optional tools that are not sold are not served. */
function soldPart(demand: PremiumDemand, price: Price): PremiumDemand {
  return demand.withTools((tool) => valueOf(price.toolFees, tool) !== undefined);
}

function isRelayedBy({ relayed }: ModelRequest, { routes }: Model, findUpstream: FindUpstream): boolean {
  if (!relayed) return false;
  return routes.some(({ upstream, upstreamModel }) => findUpstream(upstream)?.relays?.(relayed.relayedAs, upstreamModel));
}

/** What a chat completion asks for and an upstream receives. Nothing of it is required: a route does without, or refuses the parameter. */
function soldToChat(request: ModelRequest, model: Model, findUpstream: FindUpstream, price: Price): PremiumDemand | undefined {
  // Few prices have either, and the request is read only for these.
  if (price.multipliers === undefined && price.rates.cacheWriteHourPicos === undefined) return undefined;
  const { premium } = request;
  return premium && servedPart(premium, model, findUpstream, new PriceOffer(price));
}

function servedPart(
  asked: PremiumDemand,
  { routes, parameters }: Model,
  findUpstream: FindUpstream,
  offer: PremiumOffer,
): PremiumDemand | undefined {
  const served = new PremiumDemand();
  const servers = routes.flatMap(({ upstream, upstreamModel }) => {
    const settings = findUpstream(upstream)?.settings;
    return settings ? [{ settings, upstreamModel }] : [];
  });
  const isTierTaken = servers.some(({ settings, upstreamModel }) => takesTier(settings, upstreamModel, parameters));
  const isHourTaken = servers.some(({ settings, upstreamModel }) => takesHourWrites(settings.dialect, upstreamModel));
  for (const tier of asked.multipliers) if (isTierTaken && offer.multiplier(tier)) served.multiplier(tier);
  if (asked.hasHourWrites && isHourTaken && offer.hourWrites()) served.hourWrites();
  return served.isEmpty ? undefined : served;
}

interface PremiumBound extends SampledBound {
  readonly largestPrompt: number;
}

/** The part of a cost bound that depends on how often the model is sampled. */
export interface SampledBound {
  readonly inputTokens: number;
  /** The number of choices. Each choice may use all of its output tokens. */
  readonly choices: number;
  /** The fees for tools that run at the provider. */
  readonly feeNanos: Nanos;
}

/** Providers sample the model at most this often for one response: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
const MAX_SAMPLINGS = 11;

/**
 * The bound of a request with premium features. Each call of a tool at the provider, and compaction, samples the model once more, with all
 * results so far.
 */
export function premiumBound(bound: SampledBound, demand: PremiumDemand, model: Model, price: Price): PremiumBound {
  const calls = callsIn(demand);
  const withTools = Math.min(1 + calls, MAX_SAMPLINGS);
  const samplings = withTools + Number(demand.isCompacted);
  // Each result is read again by all later samplings: at most if there is one call in each, and the others are in the first.
  const results = demand.resultTokens * ((withTools * (withTools - 1)) / 2 + (calls - withTools + 1) * (withTools - 1));
  const window = model.contextWindow ?? Number.POSITIVE_INFINITY;
  return {
    inputTokens: Math.min(bound.inputTokens * samplings + results, window * samplings),
    largestPrompt: Math.min(bound.inputTokens + demand.resultTokens * calls, window),
    choices: demand.isCompacted ? bound.choices * 2 : bound.choices,
    feeNanos: toNanos(highestFees(demand, price)),
  };
}

/** The most calls of tools in one response. */
function callsIn({ toolCalls, totalCalls = Number.POSITIVE_INFINITY }: PremiumDemand): number {
  let calls = 0;
  for (const count of toolCalls.values()) calls += count;
  return Math.min(calls, totalCalls);
}

/** If all tools have one limit together, each call may have the highest fee. */
function highestFees({ toolCalls, totalCalls }: PremiumDemand, price: Price): bigint {
  const fees = [...toolCalls].map(([tool, calls]) => feesFor({ [tool]: totalCalls ?? calls }, price));
  return totalCalls === undefined ? fees.reduce((sum, fee) => sum + fee, 0n) : fees.reduce(higher, 0n);
}

/**
 * A price with the highest rates that can apply, at the tier of the longest prompt: the provider may serve a request without its options.
 */
export function highestPrice(price: Price, demand: PremiumDemand, largestPrompt: number): Price {
  const raising = [...demand.multipliers].filter((option) => (valueOf(price.multipliers, option) ?? MILLION) > MILLION);
  const raised = (picos: bigint): bigint => multiplied(picos, raising, price);
  const highest = (rates: Rates): Rates => {
    const { cacheWritePicos, cacheWriteHourPicos = 0n } = rates;
    const forHour = demand.hasHourWrites ? cacheWriteHourPicos : 0n;
    return mapRates({ ...rates, cacheWritePicos: higher(cacheWritePicos, forHour) }, raised);
  };
  const reached = price.tiers.filter(({ aboveInputTokens }) => largestPrompt > aboveInputTokens);
  return { ...price, rates: reached.map((tier) => highest(tier.rates)).reduce(highestOf, highest(price.rates)), tiers: [] };
}

function highestOf(one: Rates, other: Rates): Rates {
  return {
    inputPicos: higher(one.inputPicos, other.inputPicos),
    cachedInputPicos: higher(one.cachedInputPicos, other.cachedInputPicos),
    cacheWritePicos: higher(one.cacheWritePicos, other.cacheWritePicos),
    outputPicos: higher(one.outputPicos, other.outputPicos),
    reasoningPicos: higher(one.reasoningPicos, other.reasoningPicos),
  };
}
