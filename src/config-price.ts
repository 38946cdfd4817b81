import type { DeclaredModel, DeclaredPrice, DeclaredRates } from "./config-schema.ts";
import { findDefaultPrices } from "./prices/find-default-prices.ts";
import { parseIsoDate } from "./vocabulary/iso-date.ts";
import { FREE, makePrice, type Price, type Rates } from "./vocabulary/price.ts";

type Path = readonly (string | number)[];
type Fail = (path: Path, message: string) => never;

/** The prices that a file gives a model, by the day they take effect; or, where it gives none, those that came with Tollgate. */
export function pricesOf(model: DeclaredModel, baseUrl: string | undefined, fail: Fail): readonly Price[] {
  const given = [model.free && "free", model.price && "price", model.prices && "prices"].filter((name) => typeof name === "string");
  if (given.length > 1) fail([given[1]!], `does not go with ${given[0]}`);
  if (model.free) return [FREE];
  if (model.price) return [toPrice(model.price, ["price"], fail)];
  if (model.prices) return inOrder(model.prices, fail);
  return defaultPricesOf(model, baseUrl);
}

/** The operator's word is first; where there is none, the price that the provider publishes for its own model is the model's. */
function defaultPricesOf({ routes }: DeclaredModel, baseUrl: string | undefined): readonly Price[] {
  return baseUrl === undefined ? [] : findDefaultPrices(baseUrl, routes[0]!.model);
}

function inOrder(declared: readonly DeclaredPrice[], fail: Fail): Price[] {
  const prices = declared.map((each, at) => toPrice(each, ["prices", at], fail));
  prices.forEach((price, at) => {
    const before = prices[at - 1];
    if (before && price.effectiveAtMs <= before.effectiveAtMs)
      fail(["prices", at, "effective"], "must be later than that of the price before it");
  });
  return prices;
}

function toPrice(declared: DeclaredPrice, path: Path, fail: Fail): Price {
  const effectiveAtMs = declared.effective === undefined ? 0 : parseIsoDate(declared.effective);
  if (effectiveAtMs === undefined) return fail([...path, "effective"], "is not a day of the calendar");
  const tiers = (declared.tiers ?? []).map((tier, at) => ({
    aboveInputTokens: tier.above_input_tokens,
    rates: toRates(tier, [...path, "tiers", at], fail),
  }));
  tiers.forEach((tier, at) => {
    const before = tiers[at - 1];
    if (before && tier.aboveInputTokens <= before.aboveInputTokens) {
      fail([...path, "tiers", at, "above_input_tokens"], "must be more than that of the tier before it");
    }
  });
  return makePrice({ effectiveAtMs, source: "operator", rates: toRates(declared, path, fail), tiers });
}

/** Kinds that are not named cost what they are a kind of. */
function toRates(declared: DeclaredRates, path: Path, fail: Fail): Rates {
  const picosOf = (name: keyof DeclaredRates, otherwise: bigint): bigint => {
    const dollars = declared[name];
    return dollars === undefined ? otherwise : toPicos(dollars, () => fail([...path, name], "has more than six decimals"));
  };
  const inputPicos = picosOf("input_per_million", 0n);
  const outputPicos = picosOf("output_per_million", 0n);
  return {
    inputPicos,
    outputPicos,
    cachedInputPicos: picosOf("cached_input_per_million", inputPicos),
    cacheWritePicos: picosOf("cache_write_per_million", inputPicos),
    reasoningPicos: picosOf("reasoning_per_million", outputPicos),
  };
}

function toPicos(dollars: number, fail: () => never): bigint {
  const picos = Math.round(dollars * 1_000_000);
  if (Math.abs(picos - dollars * 1_000_000) > 1e-6 * Math.max(1, picos)) fail();
  return BigInt(picos);
}
