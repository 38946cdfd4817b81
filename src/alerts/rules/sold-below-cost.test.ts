import { expect, test } from "bun:test";
import { plainModel, type Model, type Route } from "../../models/catalog.ts";
import { makePrice, type Price, type Rates } from "../../money/price.ts";
import type { SubjectFinding, Marks } from "./crossing.ts";
import { checkSoldBelowCost, isOfRemovedOffer, type Offer } from "./sold-below-cost.ts";

const RATES: Rates = { inputPicos: 10n, cachedInputPicos: 5n, cacheWritePicos: 12n, outputPicos: 40n, reasoningPicos: 40n };
const NOW = 1000;

function price(more: Partial<Rates> = {}, effectiveAtMs = 0, tiers: Price["tiers"] = []): Price {
  return makePrice({ effectiveAtMs, source: "operator", rates: { ...RATES, ...more }, tiers });
}

function offer(prices: readonly Price[], route: Partial<Route>, more: Partial<Model> = {}, priceList: string | null = null): Offer {
  const model = plainModel("m", { upstream: "u", upstreamModel: "their-m" });
  const routed = { ...model, prices, routes: [{ ...model.routes[0]!, ...route }], ...more };
  return { priceList, catalog: new Map([["m", routed]]) };
}

function lossesIn(found: readonly SubjectFinding[]): unknown {
  return (found[0]?.alert?.data["below_cost"] as { price_list: unknown; tokens: unknown }[] | undefined)?.map(({ price_list, tokens }) => [
    price_list,
    tokens,
  ]);
}

const check = (offers: readonly Offer[], marks: Marks = new Map()): SubjectFinding[] => checkSoldBelowCost(offers, marks, NOW);

test("a price at or above the cost is not a loss, and neither is a model without a known cost, or retired", () => {
  expect(check([offer([price()], { cost: price() })])).toEqual([]);
  expect(check([offer([price({ outputPicos: 41n })], { publishedPrices: [price()] })])).toEqual([]);
  expect(check([offer([price({ outputPicos: 0n })], {})])).toEqual([]);
  expect(check([offer([price({ outputPicos: 0n })], { cost: price() }, { state: { name: "retired", replacement: "n" } })])).toEqual([]);
  expect(check([offer([price({ outputPicos: 0n }, NOW + 1)], { cost: price() })])).toEqual([]);
});

test("names the kinds of tokens and the price list of each price below the cost of the route, or else the published price", () => {
  const cheap = price({ cacheWritePicos: 11n, reasoningPicos: 39n });
  const offers = [offer([price()], { cost: price() }), offer([cheap], { cost: price() }, {}, "partners")];
  expect(lossesIn(check(offers))).toEqual([["partners", ["cache_write", "reasoning"]]]);
  expect(lossesIn(check([offer([cheap], { publishedPrices: [price()] })]))).toEqual([[null, ["cache_write", "reasoning"]]]);
  expect(check([offer([cheap], { publishedPrices: [price()], cost: cheap })])).toEqual([]);
});

test("compares the rates of every length of a prompt", () => {
  const tiered = price({}, 0, [{ aboveInputTokens: 100, rates: { ...RATES, inputPicos: 20n } }]);
  expect(lossesIn(check([offer([price()], { cost: tiered })]))).toEqual([[null, ["input"]]]);
});

test("alerts once, again for another price, and ends when the price is not below the cost", () => {
  const cheap = price({ outputPicos: 1n });
  const [first] = check([offer([cheap], { cost: price() })]);
  const marks: Marks = new Map([[first!.subject, first!.mark!]]);
  expect(check([offer([cheap], { cost: price() })], marks)).toEqual([]);
  expect(check([offer([price({ outputPicos: 2n })], { cost: price() })], marks)[0]!.alert).toBeDefined();
  expect(check([offer([price()], { cost: price() })], marks)).toEqual([{ subject: first!.subject, mark: undefined }]);
  expect([isOfRemovedOffer(first!.subject, new Map()), isOfRemovedOffer("model m", new Map())]).toEqual([true, false]);
});
