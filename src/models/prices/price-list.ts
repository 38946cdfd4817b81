import { makePrice, percentOfTiers, priceInForce, type Price } from "../../money/price.ts";
import type { Catalog, Model } from "../catalog.ts";

/** A percentage of the base price of every model, from a date on. */
export interface DatedPercent {
  readonly effectiveAtMs: number;
  readonly percent: number;
}

/** A price list: the prices of some accounts, in the place of the base prices of the models. */
export interface PriceList {
  readonly id: string;
  readonly name: string;
  /** By ascending date. For the models that it does not name; none where those have their base prices. */
  readonly percents: readonly DatedPercent[];
  /** Its own prices, by model and by ascending date. */
  readonly prices: ReadonlyMap<string, readonly Price[]>;
}

/**
 * The catalog for accounts with a price list: the same models with its prices. Everything that reads a model's prices, from the hold to the
 * model list, then needs to know nothing of lists. Models whose prices it does not change are the same objects.
 */
export function catalogAt(list: PriceList, catalog: Catalog): Catalog {
  return new Map([...catalog].map(([id, model]) => [id, modelAt(list, model)]));
}

/** The catalog of each price list. */
export function catalogsOf(priceLists: ReadonlyMap<string, PriceList>, catalog: Catalog): ReadonlyMap<string, Catalog> {
  return new Map([...priceLists].map(([id, list]) => [id, catalogAt(list, catalog)]));
}

/** A model with the prices of a list. */
export function modelAt(list: PriceList, model: Model): Model {
  const own = list.prices.get(model.id);
  if (!own && list.percents.length === 0) return model;
  const [first] = own ?? [];
  // Until its own price takes effect, a model has the price of those that the list does not name.
  const before = percentPrices(list, model.prices).filter(({ effectiveAtMs }) => !first || effectiveAtMs < first.effectiveAtMs);
  return { ...model, prices: [...before, ...(own ?? [])] };
}

/** The models that a list has prices for and the catalog lacks. */
export function unknownModels({ prices }: PriceList, catalog: Catalog): string[] {
  return [...prices.keys()].filter((id) => !catalog.has(id));
}

/** The percentages of the base prices. Either may change at any date, and from then on the list has a new version. */
function percentPrices({ id, percents }: PriceList, prices: readonly Price[]): readonly Price[] {
  if (percents.length === 0) return prices;
  const dates = new Set([...percents, ...prices].map(({ effectiveAtMs }) => effectiveAtMs));
  return [...dates]
    .toSorted((one, other) => one - other)
    .flatMap((atMs) => {
      const price = priceInForce(prices, atMs);
      const percent = percents.findLast(({ effectiveAtMs }) => effectiveAtMs <= atMs)?.percent;
      if (!price) return [];
      // Before its first percentage the list is not in force.
      return percent === undefined ? [price] : [priceOfList(price, percent, atMs, id)];
    });
}

/** Rates are rounded as `percentOf` does. The version is the list's own, whatever the percentage, and at 0 % it has its tiers: the auditor compares them. */
function priceOfList(price: Price, percent: number, effectiveAtMs: number, priceList: string): Price {
  const { version, source } = price;
  return makePrice({ effectiveAtMs, source, ...percentOfTiers(price, percent), priceList, derivedFrom: { version, percent } });
}
