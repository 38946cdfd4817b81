import { makePrice, percentOfTiers, priceInForce, type Price } from "../../money/price.ts";
import type { Catalog, Model } from "../catalog.ts";

/** A percentage of the base price of every model, from a given date. */
export interface DatedPercent {
  readonly effectiveAtMs: number;
  readonly percent: number;
}

/** A price list: the prices for some accounts, instead of the base prices of the models. */
export interface PriceList {
  readonly id: string;
  readonly name: string;
  /** By ascending date. For models that the list does not name. Empty if those models have their base prices. */
  readonly percents: readonly DatedPercent[];
  /** The list's prices for single models, by ascending date. */
  readonly prices: ReadonlyMap<string, readonly Price[]>;
}

/** The previous list, if the next list equals it. */
export function renewPriceList(before: PriceList, next: PriceList): PriceList {
  return Bun.deepEquals(before, next, true) ? before : next;
}

/** A catalog with its base prices, and the same catalog with the prices of each price list. */
export interface PricedCatalogs {
  readonly catalog: Catalog;
  readonly priceLists: ReadonlyMap<string, PriceList>;
  readonly catalogs: ReadonlyMap<string, Catalog>;
}

/**
 * The catalog for accounts with a price list: the same models with the list's prices. Code that reads a model's prices, from the hold to
 * the model list, then needs no knowledge of price lists. Models whose prices do not change are the same objects.
 */
export function catalogAt(list: PriceList, catalog: Catalog): Catalog {
  return new Map([...catalog].map(([id, model]) => [id, modelAt(list, model)]));
}

/**
 * The catalog of each price list. A model that is the same object in `before` is not priced again: each price needs a hash, and thousands
 * of models with tens of lists would take most of a second.
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

/** Copies the whole map, which is faster than creating tens of thousands of entries. */
function withModels(priced: Catalog, list: PriceList, changed: readonly Model[]): Catalog {
  const copy = new Map(priced);
  for (const model of changed) copy.set(model.id, modelAt(list, model));
  return copy;
}

/** The models that are new, or are not the same objects as before. */
export function changedModels(catalog: Catalog, before: Catalog | undefined): Model[] {
  return catalog === before ? [] : [...catalog.values()].filter((model) => before?.get(model.id) !== model);
}

/** A model with the prices of a price list. */
export function modelAt(list: PriceList, model: Model): Model {
  const own = list.prices.get(model.id);
  if (!own && list.percents.length === 0) return model;
  const [first] = own ?? [];
  // Until the list's price for the model takes effect, the model has the price of models that the list does not name.
  const before = percentPrices(list, model.prices).filter(({ effectiveAtMs }) => !first || effectiveAtMs < first.effectiveAtMs);
  return { ...model, prices: [...before, ...(own ?? [])] };
}

/** The models for which a list has prices but which are not in the catalog. */
export function unknownModels({ prices }: PriceList, catalog: Catalog): string[] {
  return [...prices.keys()].filter((id) => !catalog.has(id));
}

/**
 * The percentages of the base prices. Both the percentage and the base price may change at any date, and each change creates a new version.
 */
function percentPrices({ id, percents }: PriceList, prices: readonly Price[]): readonly Price[] {
  if (percents.length === 0) return prices;
  const dates = new Set([...percents, ...prices].map(({ effectiveAtMs }) => effectiveAtMs));
  return [...dates]
    .toSorted((one, other) => one - other)
    .flatMap((atMs) => {
      const price = priceInForce(prices, atMs);
      const percent = percents.findLast(({ effectiveAtMs }) => effectiveAtMs <= atMs)?.percent;
      if (!price) return [];
      // Before its first percentage, the list is not in force.
      return percent === undefined ? [price] : [priceOfList(price, percent, atMs, id)];
    });
}

/**
 * Rates are rounded like in `percentOf`. Whatever the percentage, the version belongs to the list. At 0 % the price keeps its tiers,
 * because the auditor compares them.
 */
function priceOfList(price: Price, percent: number, effectiveAtMs: number, priceList: string): Price {
  const { version, source } = price;
  return makePrice({ effectiveAtMs, source, ...percentOfTiers(price, percent), priceList, derivedFrom: { version, percent } });
}
