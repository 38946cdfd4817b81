import type { Route } from "./catalog.ts";
import { priceInForce } from "../money/price.ts";

/** Why a route with a `max_price` is not used. Without a published price, the route may be above its cap. */
export const PRICE_PROBLEMS = ["over_price_cap", "price_unknown"] as const;

type PriceProblem = (typeof PRICE_PROBLEMS)[number];

export function problemOfPrice({ maxPrice, publishedPrices }: Route, nowMs: number): PriceProblem | undefined {
  if (!maxPrice) return undefined;
  const rates = priceInForce(publishedPrices, nowMs)?.rates;
  if (!rates) return "price_unknown";
  const isTooDear = isAbove(rates.inputPicos, maxPrice.inputPicos) || isAbove(rates.outputPicos, maxPrice.outputPicos);
  return isTooDear ? "over_price_cap" : undefined;
}

function isAbove(picos: bigint, cap: bigint | undefined): boolean {
  return cap !== undefined && picos > cap;
}

/** Why a route receives no traffic, whatever the state of its upstream: it is drained (`weight: 0`), or its `max_price` excludes it. */
export const EXCLUSIONS = ["drained", ...PRICE_PROBLEMS] as const;

export type Exclusion = (typeof EXCLUSIONS)[number];

/** A drained route is excluded altogether: neither failover nor an existing conversation uses it. */
export function exclusionOf(route: Route, nowMs: number): Exclusion | undefined {
  return route.weight === 0 ? "drained" : problemOfPrice(route, nowMs);
}
