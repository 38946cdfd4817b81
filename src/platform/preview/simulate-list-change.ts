import { catalogAt, type PriceList } from "../../models/prices/price-list.ts";
import type { Platform } from "../platform.ts";
import { effectsOf, newPrices, PricedAdmission } from "./simulate-price-change.ts";
import type { Simulation } from "./simulation.ts";

/** Simulates another version of a price list, for the accounts that have it. */
export function simulateListChange(before: PriceList, after: PriceList, accountIds: readonly string[], platform: Platform): Simulation {
  const catalog = platform.catalog.snapshot();
  const nowMs = platform.nowMs();
  const effects = effectsOf(catalogAt(before, catalog), catalogAt(after, catalog), nowMs);
  return {
    concerns: accountIds.map((accountId) => ({ accountId })),
    startAdmission: async () => new PricedAdmission(({ model }) => effects.get(model)),
    affectsAll: false,
    ...newPrices(effects.values(), nowMs),
    replacement: undefined,
  };
}
