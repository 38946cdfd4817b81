import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import type { ModelKind } from "../../../models/catalog.ts";
import type { DeclaredPrice, DeclaredRates } from "../../../money/declared-price.ts";
import type { Price, Rates } from "../../../money/price.ts";
import type { Pricing } from "./convert-price.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { quoted } from "./unsupported.ts";

/**
 * An Azure deployment has an arbitrary name; `base_model` names the model, and so its price. tollgate.yaml has no such field, so the
 * price is written out. Undefined if the price is unknown.
 */
export function priceOfBaseModel(
  baseModel: string,
  endpoint: Endpoint,
  kind: ModelKind,
): (Pricing & { readonly note?: string }) | undefined {
  const found = findDefaultPrices(endpoint.sample, withoutProvider(baseModel, endpoint), kind);
  if (found.length === 0) return undefined;
  // A default price is not written out, because updates of Tollgate also update default prices.
  if (isSame(found, findDefaultPrices(endpoint.sample, endpoint.model, kind))) return {};
  const written = found.map((price) => toDeclared(price, kind));
  const note = `priced as its base_model ${quoted(baseModel)}, by the default prices`;
  return written.length === 1 ? { price: written[0]!, note } : { prices: written, note };
}

/** `azure/gpt-4o` and `azure/global/gpt-4o` are gpt-4o. A name with a region has another price, which is unknown. */
export function withoutProvider(baseModel: string, { name }: Pick<Endpoint, "name">): string {
  const text = baseModel.trim();
  if (name === "azure") return text.replace(/^(azure|azure_ai|openai)\//, "").replace(/^global(-standard)?\//, "");
  return text.startsWith(`${name}/`) ? text.slice(name.length + 1) : text;
}

function isSame(some: readonly Price[], others: readonly Price[]): boolean {
  return some.length === others.length && some.every(({ version }, at) => version === others[at]!.version);
}

function toDeclared({ effectiveAtMs, rates, tiers }: Price, kind: ModelKind): DeclaredPrice {
  return {
    ...toDeclaredRates(rates, kind),
    ...(effectiveAtMs > 0 && { effective: new Date(effectiveAtMs).toISOString().slice(0, 10) }),
    ...(tiers.length > 0 && {
      tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...toDeclaredRates(tier.rates, kind) })),
    }),
  };
}

/** Kinds of tokens that cost the same as input or output are omitted. */
function toDeclaredRates(
  { inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos }: Rates,
  kind: ModelKind,
): DeclaredRates {
  return {
    input_per_million: dollarsPerMillion(inputPicos),
    ...(kind === "chat" && { output_per_million: dollarsPerMillion(outputPicos) }),
    ...(cachedInputPicos !== inputPicos && { cached_input_per_million: dollarsPerMillion(cachedInputPicos) }),
    ...(cacheWritePicos !== inputPicos && { cache_write_per_million: dollarsPerMillion(cacheWritePicos) }),
    ...(reasoningPicos !== outputPicos && { reasoning_per_million: dollarsPerMillion(reasoningPicos) }),
  };
}

/** One pico-dollar per token is a millionth of a dollar per million tokens. */
function dollarsPerMillion(picos: bigint): number {
  return Number(picos) / 1e6;
}
