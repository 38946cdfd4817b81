import { mayCall, type Allowing, type Catalog, type Model } from "../../models/catalog.ts";
import type { Nanos } from "../../money/money.ts";
import { highestCost, percentOf, priceInForce } from "../../money/price.ts";

/** What a request costs at least of which only the key is known. */
export interface CheapestRequest {
  /** To a model that costs something. Undefined where the key may call none. */
  readonly paidNanos: Nanos | undefined;
  /** Whether the key may call a model that costs nothing. */
  readonly canBeFree: boolean;
}

/**
 * What a request costs at least, to any model that the key may call. The length of a body says nothing about that: it may be one large image
 * of a few tokens. The first model that costs no more than `enoughNanos` ends the search, so only a caller who cannot pay has all of them
 * looked at.
 */
export function cheapestRequest(key: Allowing, account: Allowing, enoughNanos: Nanos, catalog: Catalog, nowMs: number): CheapestRequest {
  let paidNanos: Nanos | undefined;
  let canBeFree = false;
  for (const model of catalog.values()) {
    if (!mayCall(key, account, model, nowMs)) continue;
    const costNanos = leastCost(model, nowMs);
    if (costNanos === 0n) canBeFree = true;
    else if (paidNanos === undefined || costNanos < paidNanos) paidNanos = costNanos;
    if (paidNanos !== undefined && paidNanos <= enoughNanos) break;
  }
  return { paidNanos, canBeFree };
}

/** There is no prompt and no answer without a token. */
function leastCost({ prices, cache }: Model, nowMs: number): Nanos {
  const price = priceInForce(prices, nowMs)!;
  return cache ? highestCost(1, 0, percentOf(price, cache.pricePercent)) : highestCost(1, 1, price);
}
