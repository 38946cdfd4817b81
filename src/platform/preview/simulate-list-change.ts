import { catalogAt, type PriceList } from "../../models/prices/price-list.ts";
import type { Platform } from "../platform.ts";
import { effectsOf, PricedAdmission } from "./simulate-price-change.ts";
import type { Simulation } from "./simulation.ts";

/** Simulates another version of a price list, for the accounts that have it. */
export function simulateListChange(before: PriceList, after: PriceList, accountIds: readonly string[], platform: Platform): Simulation {
  const catalog = platform.catalog.snapshot();
  const effects = effectsOf(catalogAt(before, catalog), catalogAt(after, catalog), platform.nowMs());
  const [price, ...others] = [...effects.values()].flatMap((effect) => effect.price ?? []);
  return {
    concerns: accountIds.map((accountId) => ({ accountId })),
    startAdmission: async () => new PricedAdmission(({ model }) => effects.get(model)),
    affectsAll: false,
    price: others.length === 0 ? price : undefined,
    replacement: undefined,
  };
}
