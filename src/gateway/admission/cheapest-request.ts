import { mayCall, type Allowing, type Catalog, type Model } from "../../vocabulary/catalog.ts";
import type { Nanos } from "../../vocabulary/money.ts";
import { highestCost, percentOf, priceInForce } from "../../vocabulary/price.ts";

/** A mark at the beginning of a body that is not counted as a part of the prompt. */
const BYTE_ORDER_MARK_BYTES = 3;

/** What a request of which only the length is known costs at least. */
export interface CheapestRequest {
  /** To a model that costs something. Undefined where the key may call none. */
  readonly paidNanos: Nanos | undefined;
  /** Whether the key may call a model that costs nothing. */
  readonly canBeFree: boolean;
}

/**
 * What a body of so many bytes costs at least, to any model that the key may call. The first model that costs no more than `enoughNanos`
 * ends the search, so only a caller who cannot pay has all of them looked at.
 */
export function cheapestRequest(
  key: Allowing,
  account: Allowing,
  bodyBytes: number,
  enoughNanos: Nanos,
  catalog: Catalog,
  nowMs: number,
): CheapestRequest {
  let paidNanos: Nanos | undefined;
  let canBeFree = false;
  for (const model of catalog.values()) {
    if (!mayCall(key, account, model, nowMs)) continue;
    const costNanos = leastCost(model, bodyBytes, nowMs);
    if (costNanos === 0n) canBeFree = true;
    else if (paidNanos === undefined || costNanos < paidNanos) paidNanos = costNanos;
    if (paidNanos !== undefined && paidNanos <= enoughNanos) break;
  }
  return { paidNanos, canBeFree };
}

/** By the rules of `hold-size.ts`: a token for each byte, up to the context window, and one of the answer. */
function leastCost({ prices, cache, contextWindow = Infinity }: Model, bodyBytes: number, nowMs: number): Nanos {
  const price = priceInForce(prices, nowMs)!;
  // A cached response costs what its tokens do, however long the request was.
  if (cache) return highestCost(1, 0, percentOf(price, cache.pricePercent));
  return highestCost(Math.min(Math.max(bodyBytes - BYTE_ORDER_MARK_BYTES, 1), contextWindow), 1, price);
}
