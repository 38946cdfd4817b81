import { measurePrompt } from "./prompt-size.ts";
import type { CachedResponse } from "../../stores/responses/response-store.ts";
import { mayCall, type CallingAccount, type ModelAllowList, type CacheTerms, type Catalog, type Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Nanos } from "../../money/money.ts";
import { costOf, highestCost, percentOf, priceInForce, type Price } from "../../money/price.ts";
import { fitsInto, type Headroom } from "../../money/headroom.ts";
import { countTokens } from "../../money/usage.ts";
import type { FindUpstream } from "../gateway.ts";
import { fitHold, promptEstimateOf, tokenBoundOf, type HoldSize } from "./hold.ts";
import type { TokenReservation } from "./rate-limits.ts";
import { plausibleInputOf, type PromptTerms } from "./serving-terms.ts";

/** The most that a request can cost, in money and in tokens. */
export interface CostBound extends PromptTerms {
  readonly hold: HoldSize;
  readonly tokens: TokenReservation;
}

/** The cost bound of a call to an upstream, reduced to fit into every headroom. Throws if it cannot fit. */
export function boundCallCost(
  chat: ChatRequest,
  model: Model,
  findUpstream: FindUpstream,
  price: Price,
  headrooms: readonly Headroom[],
): CostBound {
  const prompt = measurePrompt(chat, model, findUpstream);
  const bound = tokenBoundOf(chat, prompt, model);
  const promptEstimate = promptEstimateOf(prompt, model);
  const hold = fitHold(bound, model, price, headrooms);
  const tokens = { prompt: promptEstimate, outputPerChoice: hold.maxOutputTokens, choices: bound.choices };
  const maxInputTokens = bound.inputTokens;
  const plausibleInputTokens = plausibleInputOf(prompt, model);
  return { price, promptEstimate, promptDerivation: prompt.derivation, maxInputTokens, plausibleInputTokens, hold, tokens };
}

/**
 * The exact cost of a cached response. Undefined if it does not fit into every headroom: a call with a shorter output may still fit, and if
 * not, the error describes the call.
 */
export function boundCachedCost(
  cached: CachedResponse,
  terms: CacheTerms,
  callPrice: Price,
  headrooms: readonly Headroom[],
): CostBound | undefined {
  const price = percentOf(callPrice, terms.pricePercent);
  const { usage } = countTokens(cached, cached.promptTokens, true);
  const { promptTokens, completionTokens } = usage;
  const amountNanos = costOf(usage, price);
  if (headrooms.some((headroom) => !fitsInto(headroom, amountNanos))) return undefined;
  return {
    price,
    promptEstimate: promptTokens,
    promptDerivation: undefined,
    maxInputTokens: promptTokens,
    plausibleInputTokens: promptTokens,
    hold: { amountNanos, maxOutputTokens: completionTokens, maxTokens: undefined, isShortened: false },
    tokens: { prompt: promptTokens, outputPerChoice: completionTokens, choices: 1 },
  };
}

/** The least that a request can cost when only its key is known. */
export interface MinimumCost {
  /** The least with a model whose price is above zero. Undefined if the key may not call such a model. */
  readonly paidNanos: Nanos | undefined;
  /** Whether the key may call a free model. */
  readonly canBeFree: boolean;
}

/**
 * The least that a request can cost, over all models that the key may call. The length of the body does not matter: the body may be one
 * large image of a few tokens. The search stops at the first model that costs at most `enoughNanos`, so that all models are compared only
 * for a caller that cannot pay.
 */
export function minimumCost(
  key: ModelAllowList,
  account: CallingAccount,
  enoughNanos: Nanos,
  catalog: Catalog,
  nowMs: number,
): MinimumCost {
  let paidNanos: Nanos | undefined;
  let canBeFree = false;
  for (const model of catalog.values()) {
    if (!mayCall(key, account, model, nowMs)) continue;
    const costNanos = minimumCostOf(model, nowMs);
    if (costNanos === 0n) canBeFree = true;
    else if (paidNanos === undefined || costNanos < paidNanos) paidNanos = costNanos;
    if (paidNanos !== undefined && paidNanos <= enoughNanos) break;
  }
  return { paidNanos, canBeFree };
}

/** Every prompt and every response has at least one token. */
function minimumCostOf({ prices, cache }: Model, nowMs: number): Nanos {
  const price = priceInForce(prices, nowMs)!;
  return cache ? highestCost(1, 0, percentOf(price, cache.pricePercent)) : highestCost(1, 1, price);
}
