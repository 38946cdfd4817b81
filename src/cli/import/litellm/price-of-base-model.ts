import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import type { DeclaredPrice, DeclaredRates } from "../../../money/declared-price.ts";
import type { Price, Rates } from "../../../money/price.ts";
import type { Pricing } from "./convert-price.ts";
import type { Endpoint } from "./endpoint.ts";
import { quoted } from "./unsupported.ts";

/**
 * A deployment at Azure has a name that somebody made up. `base_model` says what it is, and so what it costs. Our file has no word for
 * that, so the price is written out. Undefined where that is not known.
 */
export function priceOfBaseModel(baseModel: string, endpoint: Endpoint): (Pricing & { readonly note?: string }) | undefined {
  const found = findDefaultPrices(endpoint.sample, withoutProvider(baseModel, endpoint));
  if (found.length === 0) return undefined;
  // Not written out where it is the default in any case: defaults are kept up to date.
  if (isSame(found, findDefaultPrices(endpoint.sample, endpoint.model))) return {};
  const written = found.map(toDeclared);
  const note = `priced as its base_model ${quoted(baseModel)}, by the default prices`;
  return written.length === 1 ? { price: written[0]!, note } : { prices: written, note };
}

/** `azure/gpt-4o` and `azure/global/gpt-4o` are gpt-4o. One with a region has another price, and none is known. */
function withoutProvider(baseModel: string, { name }: Endpoint): string {
  const text = baseModel.trim();
  if (name === "azure") return text.replace(/^(azure|azure_ai|openai)\//, "").replace(/^global(-standard)?\//, "");
  return text.startsWith(`${name}/`) ? text.slice(name.length + 1) : text;
}

function isSame(some: readonly Price[], others: readonly Price[]): boolean {
  return some.length === others.length && some.every(({ version }, at) => version === others[at]!.version);
}

function toDeclared({ effectiveAtMs, rates, tiers }: Price): DeclaredPrice {
  return {
    ...toDeclaredRates(rates),
    ...(effectiveAtMs > 0 && { effective: new Date(effectiveAtMs).toISOString().slice(0, 10) }),
    ...(tiers.length > 0 && {
      tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...toDeclaredRates(tier.rates) })),
    }),
  };
}

/** Kinds that cost what they are a kind of are not named. */
function toDeclaredRates({ inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos }: Rates): DeclaredRates {
  return {
    input_per_million: dollarsPerMillion(inputPicos),
    output_per_million: dollarsPerMillion(outputPicos),
    ...(cachedInputPicos !== inputPicos && { cached_input_per_million: dollarsPerMillion(cachedInputPicos) }),
    ...(cacheWritePicos !== inputPicos && { cache_write_per_million: dollarsPerMillion(cacheWritePicos) }),
    ...(reasoningPicos !== outputPicos && { reasoning_per_million: dollarsPerMillion(reasoningPicos) }),
  };
}

/** A pico-dollar for a token is a millionth of a dollar for a million. */
function dollarsPerMillion(picos: bigint): number {
  return Number(picos) / 1e6;
}
