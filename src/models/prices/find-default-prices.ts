import { costsMoreInRegions, fastMultiplier, isPricedByRegion } from "../claude-models.ts";
import type { ModelKind } from "../catalog.ts";
import { parseIsoDate } from "../../lib/time/iso-date.ts";
import { makePrice, mapValues, MILLION, type Price, type Rates } from "../../money/price.ts";
import {
  defaultPrices,
  type MatchRule,
  type ModelInFile,
  type ModelMode,
  type PriceInFile,
  type ProviderInFile,
  type RatesInFile,
} from "./default-prices.ts";

/**
 * The built-in prices of a model at a provider, by ascending date. Empty if the URL is not a known provider's, because a model with the
 * same name may have another price there, and if the price of a model of this name and kind is unknown.
 */
export function findDefaultPrices(baseUrl: string, upstreamModel: string, kind: ModelKind = "chat"): readonly Price[] {
  const provider = findProvider(baseUrl);
  const model = provider && findModel(provider, upstreamModel.toLowerCase().trim());
  const prices = kind === "chat" ? model?.prices : embeddingPrices(model, findDefaultMode(baseUrl, upstreamModel));
  const percent = costsMoreInRegions(upstreamModel) && isRegionOfVertex(baseUrl) ? REGIONAL_PERCENT : 100n;
  const premium = provider?.id === "anthropic" && model ? claudePremium(model.id) : {};
  return prices?.map((price) => toPrice(price, percent, premium)) ?? [];
}

/** Some data has an output rate for embedding models too. */
function embeddingPrices(model: ModelInFile | undefined, mode: ModelMode | undefined): readonly PriceInFile[] | undefined {
  return mode === "embedding" ? (model?.inputPrices ?? model?.prices) : undefined;
}

type Premium = Pick<Price, "multipliers" | "toolFees">;

/**
 * What Anthropic's own API charges besides tokens at the usual rates, in addition to the package's prices. Fetching pages and searching
 * for tools cost their tokens only: https://platform.claude.com/docs/en/about-claude/pricing
 */
function claudePremium(model: string): Premium {
  const fast = fastMultiplier(model);
  const multipliers = { ...(fast !== undefined && { fast: fast * MILLION }), ...(isPricedByRegion(model) && { us: 1_100_000n }) };
  return { multipliers, toolFees: { web_fetch: 0n, tool_search: 0n } };
}

/** The mode of a model at a provider. Undefined if the URL is not a known provider's, or if the model is unknown. */
export function findDefaultMode(baseUrl: string, upstreamModel: string): ModelMode | undefined {
  const provider = findProvider(baseUrl);
  if (!provider) return undefined;
  const name = upstreamModel.toLowerCase().trim();
  const named = [provider, ...resoldBy(provider)].flatMap(({ modes = [] }) => modes).find(({ match }) => matches(match, name));
  if (named) return named.mode;
  const model = findModel(provider, name);
  return model && (model.mode ?? "chat");
}

/**
 * The price of Claude at regional and multi-region endpoints of Vertex AI, in percent of the price at the global endpoint, which the
 * package has: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
 */
const REGIONAL_PERCENT = 110n;

function isRegionOfVertex(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  return url !== null && /(^|-)aiplatform[-.]/.test(url.hostname) && /\/locations\/(?!global(\/|$))/.test(url.pathname);
}

/** In ascending order: the tier thresholds of all providers. */
export function defaultTierBounds(): readonly number[] {
  const prices = defaultPrices().providers.flatMap(({ models }) => models.flatMap((model) => model.prices ?? []));
  return [...new Set(prices.flatMap(({ tiers = [] }) => tiers.map(({ above }) => above)))].toSorted((one, other) => one - other);
}

function findProvider(baseUrl: string): ProviderInFile | undefined {
  const url = URL.parse(baseUrl);
  if (!url) return undefined;
  const address = `${url.protocol}//${url.host}${url.pathname}`;
  return defaultPrices().providers.find(({ apiPattern }) => beginsWith(apiPattern).test(address));
}

/** The patterns have no end anchor, so the match must end at the end of the host: otherwise `api.openai.com.example` would match OpenAI. */
function beginsWith(apiPattern: string): RegExp {
  return new RegExp(`^(?:${apiPattern})(?:(?<=[./])|(?=/)|$)`);
}

/** Like in the package: the name itself, then the name with its date in the other format. Vertex prefixes names with `google/`. */
function findModel(provider: ProviderInFile, name: string): ModelInFile | undefined {
  const others = [withDashedDate(name), ...(provider.id === "google" ? [name.replace(/^google\//, "")] : [])];
  return [name, ...others.filter((other) => other !== name)].map((each) => findByName(provider, each)).find((found) => found);
}

function findByName(provider: ProviderInFile, name: string): ModelInFile | undefined {
  const isIt = (model: ModelInFile): boolean => matches(model.match, name);
  return (
    provider.models.find(isIt) ??
    resoldBy(provider)
      .flatMap(({ models }) => models)
      .find(isIt)
  );
}

/** The providers whose models it resells. */
function resoldBy({ fallbacks = [] }: ProviderInFile): ProviderInFile[] {
  return fallbacks.flatMap((id) => defaultPrices().providers.find((other) => other.id === id) ?? []);
}

/** `gpt-4o-20240806` is `gpt-4o-2024-08-06`. */
function withDashedDate(name: string): string {
  return name.replaceAll(/-(\d{4})(\d{2})(\d{2})(?=-|:|$)/g, (text, year: string, month: string, day: string) => {
    const date = `${year}-${month}-${day}`;
    return year.startsWith("20") && parseIsoDate(date) !== undefined ? `-${date}` : text;
  });
}

function matches(rule: MatchRule, name: string): boolean {
  if ("equals" in rule) return name === rule.equals;
  if ("starts_with" in rule) return name.startsWith(rule.starts_with);
  if ("ends_with" in rule) return name.endsWith(rule.ends_with);
  if ("contains" in rule) return name.includes(rule.contains);
  if ("regex" in rule) return new RegExp(rule.regex).test(name);
  if ("and" in rule) return rule.and.every((part) => matches(part, name));
  return rule.or.some((part) => matches(part, name));
}

function toPrice({ since, rates, tiers = [], fees }: PriceInFile, percent: bigint, premium: Premium): Price {
  const toolFees = { ...premium.toolFees, ...(fees && mapValues(fees, BigInt)) };
  const multipliers = premium.multipliers ?? {};
  return makePrice({
    effectiveAtMs: since === undefined ? 0 : Date.parse(since),
    source: "default",
    rates: toRates(rates, percent),
    tiers: tiers.map((tier) => ({ aboveInputTokens: tier.above, rates: toRates(tier.rates, percent) })),
    ...(Object.keys(multipliers).length > 0 && { multipliers }),
    ...(Object.keys(toolFees).length > 0 && { toolFees }),
  });
}

function toRates([input, cachedInput, cacheWrite, output, reasoning, cacheWriteHour]: RatesInFile, percent: bigint): Rates {
  return {
    inputPicos: toPicos(input, percent),
    cachedInputPicos: toPicos(cachedInput, percent),
    cacheWritePicos: toPicos(cacheWrite, percent),
    ...(cacheWriteHour !== undefined && { cacheWriteHourPicos: toPicos(cacheWriteHour, percent) }),
    outputPicos: toPicos(output, percent),
    reasoningPicos: toPicos(reasoning, percent),
  };
}

/** The rate in pico-dollars, rounded up. */
function toPicos(rate: number, percent: bigint): bigint {
  return (BigInt(rate) * percent + 99n) / 100n;
}
