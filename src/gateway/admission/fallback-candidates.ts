import type { FallbackCondition } from "../../models/fallbacks.ts";
import type { Catalog, Model } from "../../models/catalog.ts";
import type { Headroom } from "../../money/headroom.ts";
import type { Nanos } from "../../money/money.ts";
import { priceInForce } from "../../money/price.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { FindUpstream } from "../gateway.ts";
import { boundCallCost } from "./cost-bound.ts";
import type { FallbackCandidate } from "./serving-terms.ts";

/** Why a fallback cannot serve a request: it does not exist any more, is retired, has no price, or costs more than the headroom. */
export type FallbackExclusion = "no_model" | "retired" | "no_price" | "not_affordable";

export interface ExcludedFallback {
  readonly id: string;
  readonly on: readonly FallbackCondition[];
  readonly reason: FallbackExclusion;
}

/** The fallbacks of a request, in order. */
export interface RequestFallbacks {
  readonly candidates: readonly FallbackCandidate[];
  readonly excluded: readonly ExcludedFallback[];
}

export const NO_FALLBACK_CANDIDATES: RequestFallbacks = { candidates: [], excluded: [] };

/**
 * The fallbacks that can serve a request, each with its cost bound at the account's price. Which models the key may call does not matter: it may
 * call the one that falls back. A fallback that the headroom does not pay for is excluded, so that having one never rejects a request.
 */
export function findFallbacks(
  chat: ChatRequest,
  model: Model,
  catalog: Catalog,
  findUpstream: FindUpstream,
  headrooms: readonly Headroom[],
  nowMs: number,
): RequestFallbacks {
  const candidates: FallbackCandidate[] = [];
  const excluded: ExcludedFallback[] = [];
  for (const { model: id, on } of model.fallbacks) {
    // A wildcard model may name one of the models that it stands for.
    if (id === model.id) continue;
    const found = boundFallback(chat, catalog.get(id), findUpstream, headrooms, nowMs);
    if (typeof found === "string") excluded.push({ id, on, reason: found });
    else candidates.push({ ...found, on });
  }
  return { candidates, excluded };
}

/** The credit to hold for a request: enough for whichever model serves it. */
export function highestHold(ownNanos: Nanos, fallbacks: readonly FallbackCandidate[]): Nanos {
  let highest = ownNanos;
  for (const { amountNanos } of fallbacks) if (amountNanos > highest) highest = amountNanos;
  return highest;
}

function boundFallback(
  chat: ChatRequest,
  model: Model | undefined,
  findUpstream: FindUpstream,
  headrooms: readonly Headroom[],
  nowMs: number,
): Omit<FallbackCandidate, "on"> | FallbackExclusion {
  if (!model) return "no_model";
  if (model.state.name === "retired") return "retired";
  const price = priceInForce(model.prices, nowMs);
  if (!price) return "no_price";
  try {
    const bound = boundCallCost(chat, model, findUpstream, price, headrooms);
    const { promptEstimate, promptDerivation, maxInputTokens, plausibleInputTokens, hold, tokens } = bound;
    return { model, price, promptEstimate, promptDerivation, maxInputTokens, plausibleInputTokens, choices: tokens.choices, ...hold };
  } catch (error) {
    if (error instanceof ApiError) return "not_affordable";
    throw error;
  }
}
