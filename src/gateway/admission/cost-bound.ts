import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { CacheTerms, Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { costOf, percentOf, type Price } from "../../money/price.ts";
import { fitsInto, type Headroom } from "../../money/headroom.ts";
import { countTokens } from "../../money/usage.ts";
import type { FindUpstream } from "../gateway.ts";
import { fitHold } from "./fit-hold.ts";
import { promptEstimateOf, sizeOf, type HoldSize } from "./hold.ts";
import type { TokensReserved } from "./rate-limits.ts";
import { measurePrompt } from "./prompt-size.ts";

/** What a request can come to at most, in money and in tokens. */
export interface CostBound {
  readonly price: Price;
  /** The tokens of the prompt, for where the upstream does not count them. */
  readonly promptEstimate: number;
  /** How the tokens of its media were found; undefined where there are none. */
  readonly promptDerivation: string | undefined;
  readonly hold: HoldSize;
  readonly tokens: TokensReserved;
}

/** What a call can come to, made to fit into every room. Throws where it does not. */
export function boundCallCost(
  chat: ChatRequest,
  model: Model,
  findUpstream: FindUpstream,
  price: Price,
  rooms: readonly Headroom[],
): CostBound {
  const prompt = measurePrompt(chat, model, findUpstream);
  const size = sizeOf(chat, prompt, model);
  const promptEstimate = promptEstimateOf(prompt, model);
  const hold = fitHold(size, model, price, rooms);
  const tokens = { prompt: promptEstimate, outputOfEach: hold.outputTokens, choices: size.choices };
  return { price, promptEstimate, promptDerivation: prompt.derivation, hold, tokens };
}

/**
 * What a kept answer costs, which is known to the last token. Undefined where that does not fit into every room: a call may still,
 * with a shorter answer, and what is said where it does not is about the call.
 */
export function boundCachedCost(
  kept: CachedResponse,
  terms: CacheTerms,
  priceOfCall: Price,
  rooms: readonly Headroom[],
): CostBound | undefined {
  const price = percentOf(priceOfCall, terms.pricePercent);
  const { usage } = countTokens(kept, kept.promptTokens, true);
  const { promptTokens, completionTokens } = usage;
  const amountNanos = costOf(usage, price);
  if (rooms.some((room) => !fitsInto(room, amountNanos))) return undefined;
  return {
    price,
    promptEstimate: promptTokens,
    promptDerivation: undefined,
    hold: { amountNanos, outputTokens: completionTokens, maxTokens: undefined, isShortened: false },
    tokens: { prompt: promptTokens, outputOfEach: completionTokens, choices: 1 },
  };
}
