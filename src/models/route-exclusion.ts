import type { Route } from "./catalog.ts";
import { PRICE_PROBLEMS, problemOfPrice } from "./price-cap.ts";

/** Why a route receives no traffic, whatever the state of its upstream: it is drained (`weight: 0`), or its `max_price` excludes it. */
export const EXCLUSIONS = ["drained", ...PRICE_PROBLEMS] as const;

export type Exclusion = (typeof EXCLUSIONS)[number];

/** A drained route is excluded altogether: neither failover nor an existing conversation uses it. */
export function exclusionOf(route: Route, nowMs: number): Exclusion | undefined {
  return route.weight === 0 ? "drained" : problemOfPrice(route, nowMs);
}
