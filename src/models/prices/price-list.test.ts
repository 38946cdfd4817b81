import { describe, expect, spyOn, test } from "bun:test";
import { makePrice, priceInForce, type Price } from "../../money/price.ts";
import { plainModel } from "../catalog.ts";
import { toPriceList, type DeclaredPriceList } from "./declared-price-list.ts";
import { catalogAt, catalogsOf } from "./price-list.ts";

const fail = (path: readonly (string | number)[], message: string): never => {
  throw new Error(`${path.join(".")} ${message}`);
};
const day = (text: string): number => Date.parse(text);

function price(picos: bigint, since?: string): Price {
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
  const tiers = [{ aboveInputTokens: 10, rates: { ...rates, outputPicos: 3n * picos } }];
  return makePrice({ effectiveAtMs: since === undefined ? 0 : day(since), source: "default", rates, tiers });
}

const MODEL = { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), prices: [price(101n), price(201n, "2027-06-01")] };
const OTHER = { ...plainModel("n", { upstream: "u", upstreamModel: "n" }), prices: [price(11n)] };
const CATALOG = new Map([MODEL, OTHER].map((model) => [model.id, model]));

function pricesOf(declared: Omit<DeclaredPriceList, "id" | "name">, id = "m"): readonly Price[] {
  return catalogAt(toPriceList({ id: "l", name: "L", ...declared }, fail), CATALOG).get(id)!.prices;
}

const outputOn = (prices: readonly Price[], date: string): bigint | undefined => priceInForce(prices, day(date))?.rates.outputPicos;

describe("a percentage", () => {
  test("is of every rate, rounded up, at every tier, from the dates of the base price", () => {
    const prices = pricesOf({ percent: 50 });
    expect(prices.map(({ effectiveAtMs, rates, tiers }) => [effectiveAtMs, rates.inputPicos, tiers[0]!.rates.outputPicos])).toEqual([
      [0, 51n, 152n],
      [day("2027-06-01"), 101n, 302n],
    ]);
    expect(prices.map(({ derivedFrom }) => derivedFrom)).toEqual(MODEL.prices.map(({ version }) => ({ version, percent: 50 })));
  });

  test("changes at its own dates too, and is not in force before the first", () => {
    const prices = pricesOf({
      percents: [
        { percent: 50, effective: "2027-03-01" },
        { percent: 200, effective: "2027-09-01" },
      ],
    });
    const dates = ["2027-02-28", "2027-03-01", "2027-06-01", "2027-09-01"];
    expect(dates.map((date) => outputOn(prices, date))).toEqual([101n, 51n, 101n, 402n]);
    expect(prices.map(({ priceList }) => priceList)).toEqual([undefined, "l", "l", "l"]);
    expect(prices[0]).toBe(MODEL.prices[0]);
  });

  test("of 100 or 0 names its list as well", () => {
    for (const percent of [100, 0]) {
      const [first] = pricesOf({ percent });
      expect([first!.priceList, first!.rates.outputPicos]).toEqual(["l", percent === 0 ? 0n : 101n]);
      expect(first!.version).not.toBe(MODEL.prices[0]!.version);
    }
  });
});

describe("a price of its own", () => {
  const own = { input_per_million: 0.000007, output_per_million: 0.000007 };

  test("takes the place of the base price and of the percentage, for its model alone", () => {
    const declared = { percent: 50, models: { m: { price: own } } };
    expect(pricesOf(declared).map(({ rates, derivedFrom }) => [rates.outputPicos, derivedFrom])).toEqual([[7n, undefined]]);
    expect(pricesOf(declared, "n").map(({ rates }) => rates.outputPicos)).toEqual([6n]);
  });

  test("is in force from its date on, and the percentage before it", () => {
    const prices = pricesOf({ percent: 50, models: { m: { prices: [{ ...own, effective: "2027-07-01" }] } } });
    expect(["2027-01-01", "2027-06-30", "2027-07-01"].map((date) => outputOn(prices, date))).toEqual([51n, 101n, 7n]);
  });

  test("leaves other models as they are where the list has no percentage", () => {
    expect(pricesOf({ models: { m: { free: true } } })[0]).toMatchObject({ priceList: "l", rates: { outputPicos: 0n } });
    expect(pricesOf({ models: { m: { free: true } } }, "n")).toBe(OTHER.prices);
  });
});

test("equal rates of two lists, and of none, are three versions", () => {
  const versions = ["l", "k"].map(
    (id) => catalogAt(toPriceList({ id, name: id, percent: 100 }, fail), CATALOG).get("m")!.prices[0]!.version,
  );
  expect(new Set([...versions, MODEL.prices[0]!.version]).size).toBe(3);
});

const refused: [Omit<DeclaredPriceList, "id" | "name">, string][] = [
  [{}, "percent is required"],
  [{ percent: 1, percents: [{ percent: 2 }] }, "percents cannot be combined with percent"],
  [{ percents: [{ percent: 2, effective: "2027-02-30" }] }, "percents.0.effective is not a day"],
  [{ percents: [{ percent: 2, effective: "2027-02-02" }, { percent: 3 }] }, "percents.1.effective must be later"],
  [{ models: { m: {} } }, "models.m has no price"],
  [
    { models: { m: { free: true, price: { input_per_million: 1, output_per_million: 1 } } } },
    "models.m.price cannot be combined with free",
  ],
];
test.each(refused)("%j is refused", (declared, problem) => expect(() => pricesOf(declared)).toThrow(problem));

describe("after a change of the catalog", () => {
  const lists = new Map([80, 90].map((percent) => [`l${percent}`, toPriceList({ id: `l${percent}`, name: "L", percent }, fail)]));
  const before = { catalog: CATALOG, priceLists: lists, catalogs: catalogsOf(lists, CATALOG, undefined) };
  const changed = { ...OTHER, prices: [price(12n)] };

  /** The models for which a price was requested from the first list. */
  function priced(catalog: typeof CATALOG, priceLists = lists): [models: unknown[], catalogs: ReturnType<typeof catalogsOf>] {
    const asked = spyOn(priceLists.get("l80")!.prices, "get");
    const catalogs = catalogsOf(priceLists, catalog, before);
    const models = asked.mock.calls.map(([id]) => id);
    asked.mockRestore();
    for (const [id, list] of priceLists) expect([...catalogs.get(id)!]).toEqual([...catalogAt(list, catalog)]);
    return [models, catalogs];
  }

  test("only changed models are priced again, and the others stay the same objects", () => {
    const [models, catalogs] = priced(new Map(CATALOG).set("n", changed));
    expect(models).toEqual(["n"]);
    expect(catalogs.get("l90")!.get("m")).toBe(before.catalogs.get("l90")!.get("m"));
  });

  test("of added models, removed ones and another order, too", () => {
    const added = { ...MODEL, id: "k" };
    expect(priced(new Map([added, OTHER, MODEL].map((model) => [model.id, model])))[0]).toEqual(["k"]);
    expect(priced(new Map([["m", MODEL]]))[0]).toEqual([]);
  });

  test("without a change, the catalog of each list is the same object; the catalog of another list is not", () => {
    expect(priced(CATALOG)[1].get("l80")).toBe(before.catalogs.get("l80"));
    const another = new Map(lists).set("l80", toPriceList({ id: "l80", name: "L", percent: 70 }, fail));
    const [models, catalogs] = priced(CATALOG, another);
    expect(models).toEqual(["m", "n"]);
    expect(catalogs.get("l90")).toBe(before.catalogs.get("l90"));
  });
});
