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

/** The list before, where the next one equals it. */
export function renewPriceList(before: PriceList, next: PriceList): PriceList {
  return Bun.deepEquals(before, next, true) ? before : next;
}

/** A catalog with its base prices, and the same one with the prices of each price list. */
export interface PricedCatalogs {
  readonly catalog: Catalog;
  readonly priceLists: ReadonlyMap<string, PriceList>;
  readonly catalogs: ReadonlyMap<string, Catalog>;
}

/**
 * The catalog for accounts with a price list: the same models with its prices. Everything that reads a model's prices, from the hold to the
 * model list, then needs to know nothing of lists. Models whose prices it does not change are the same objects.
 */
export function catalogAt(list: PriceList, catalog: Catalog): Catalog {
  return new Map([...catalog].map(([id, model]) => [id, modelAt(list, model)]));
}

/**
 * The catalog of each price list. A model that is the same object in `before` is not priced again: each price is a hash, and thousands of models with
 * tens of lists take most of a second.
 */
export function catalogsOf(
  priceLists: ReadonlyMap<string, PriceList>,
  catalog: Catalog,
  before: PricedCatalogs | undefined,
): ReadonlyMap<string, Catalog> {
  const changed = changedModels(catalog, before?.catalog);
  const hasSameIds = before !== undefined && Bun.deepEquals([...before.catalog.keys()], [...catalog.keys()]);
  return new Map(
    [...priceLists].map(([id, list]) => {
      const priced = before?.priceLists.get(id) === list ? before.catalogs.get(id) : undefined;
      if (!priced) return [id, catalogAt(list, catalog)];
      if (hasSameIds) return [id, changed.length === 0 ? priced : withModels(priced, list, changed)];
      const isChanged = new Set(changed);
      return [id, new Map([...catalog].map(([each, model]) => [each, isChanged.has(model) ? modelAt(list, model) : priced.get(each)!]))];
    }),
  );
}

/** A copy of the whole, which is faster than a new one of tens of thousands of entries. */
function withModels(priced: Catalog, list: PriceList, changed: readonly Model[]): Catalog {
  const copy = new Map(priced);
  for (const model of changed) copy.set(model.id, modelAt(list, model));
  return copy;
}

/** The models that are new or other objects than before. */
export function changedModels(catalog: Catalog, before: Catalog | undefined): Model[] {
  return catalog === before ? [] : [...catalog.values()].filter((model) => before?.get(model.id) !== model);
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
