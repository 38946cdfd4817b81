import { isOpenTo, type Model } from "../../models/catalog.ts";
import { modelAt } from "../../models/prices/price-list.ts";
import type { Platform } from "../platform.ts";
import { effectOf, newPrices, PricedAdmission, type ModelEffect } from "./simulate-price-change.ts";
import type { Simulation } from "./simulation.ts";

/**
 * Simulates a model with another price or state, or restricted to other accounts. For an account with a price list, the list's percentage
 * is applied to the new price.
 */
export function simulateModelChange(before: Model, after: Model, { accounts, catalog, nowMs }: Platform): Simulation {
  const isMoved = !Bun.deepEquals(before.state, after.state);
  const byDefault = effectOf(before, after, nowMs());
  const byList = new Map<string | null, ModelEffect>([[null, byDefault]]);
  for (const list of catalog.priceLists().values()) byList.set(list.id, effectOf(modelAt(list, before), modelAt(list, after), nowMs()));
  const admission = new PricedAdmission(({ accountId }) => {
    const effect = byList.get(accounts.find(accountId)?.priceList ?? null) ?? byDefault;
    const isExcluded = isOpenTo(accountId, before) && !isOpenTo(accountId, after);
    return isExcluded ? { ...effect, refusal: effect.refusal ?? "model_not_allowed" } : effect;
  });
  return {
    concerns: [{ model: after.id }],
    startAdmission: async () => admission,
    affectsAll: isMoved,
    ...newPrices([byDefault], nowMs()),
    replacement: isMoved && after.state.name !== "available" ? after.state.replacement : undefined,
  };
}
