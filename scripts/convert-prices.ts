/**
 * Converts the data of @pydantic/genai-prices to default prices: floats in dollars become whole pico-dollars. No other code converts them.
 */
import {
  waitForUpdate,
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  type Provider,
} from "@pydantic/genai-prices";
import type { MatchRule, ModelInFile, PriceInFile, ProviderInFile, RatesInFile } from "../src/models/prices/default-prices.ts";
import { modeByUnits, modesOf } from "./model-modes.ts";

const PACKAGE = new URL("../", import.meta.resolve("@pydantic/genai-prices"));

/** The text of default-prices.json: one line per model, so that a price change is a one-line diff. */
export async function defaultPricesText(): Promise<string> {
  const { name, version } = (await Bun.file(new URL("package.json", PACKAGE)).json()) as { name: string; version: string };
  const providers = await waitForUpdate();
  if (!providers) throw new Error(`${name} has no data`);
  return `{"from":${JSON.stringify(`${name} ${version}`)},"providers":[\n${providers.map((each) => toLines(toProvider(each))).join(",\n")}\n]}\n`;
}

/** The licence must accompany the data. */
export function licenceText(): Promise<string> {
  return Bun.file(new URL("LICENSE", PACKAGE)).text();
}

function toLines({ models, ...provider }: ProviderInFile): string {
  const head = JSON.stringify({ ...provider, models: [] }).slice(0, -"]}".length);
  return `${head}\n${models.map((model) => JSON.stringify(model)).join(",\n")}\n]}`;
}

function toProvider(provider: Provider): ProviderInFile {
  const modes = modesOf(provider.id);
  return {
    id: provider.id,
    apiPattern: harmlessPattern(provider.api_pattern),
    ...(provider.fallback_model_providers && { fallbacks: provider.fallback_model_providers }),
    ...(modes.length > 0 && { modes }),
    models: provider.models.map(toModel),
  };
}

function toModel(model: ModelInfo): ModelInFile {
  const versions = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  const mode = modeByUnits(model);
  return {
    id: model.id,
    match: toRule(model.match),
    ...(mode && { mode }),
    ...(versions.every(({ prices }) => isByTokens(prices) && hasOutput(prices)) && { prices: toPrices(versions) }),
    ...(mode === "embedding" && versions.every(({ prices }) => isByTokens(prices)) && { inputPrices: toPrices(versions) }),
  };
}

/** Whether a price can be expressed per token. A price with a fee per request cannot. */
function isByTokens(prices: ModelPrice): boolean {
  return prices["input_mtok"] !== undefined && prices["requests_kcount"] === undefined;
}

function hasOutput(prices: ModelPrice): boolean {
  return prices["output_mtok"] !== undefined;
}

function toRule(match: MatchLogic): MatchRule {
  if ("and" in match) return { and: match.and.map(toRule) };
  if ("or" in match) return { or: match.or.map(toRule) };
  if ("regex" in match) return { regex: harmlessPattern(match.regex) };
  if ("equals" in match) return { equals: match.equals.toLowerCase() };
  if ("starts_with" in match) return { starts_with: match.starts_with.toLowerCase() };
  if ("ends_with" in match) return { ends_with: match.ends_with.toLowerCase() };
  if ("contains" in match) return { contains: match.contains.toLowerCase() };
  throw new Error(`a match rule of an unknown kind: ${JSON.stringify(match)}`);
}

/**
 * Rejects slow patterns, because model names may come from untrusted clients. With at most one unbounded repetition, and no repetition of a
 * group, a pattern takes at most quadratic time in the length of a name, and names are short.
 */
export function harmlessPattern(pattern: string): string {
  const plain = pattern.replaceAll(/\\./g, "_").replaceAll(/\[[^\]]*\]/g, "_");
  if (/\)[*+{]/.test(plain) || (plain.match(/[*+]|\{\d*,/g) ?? []).length > 1) throw new Error(`a pattern that could be slow: ${pattern}`);
  return pattern;
}

function toPrices(versions: readonly ConditionalPrice[]): PriceInFile[] {
  const days = versions.flatMap(({ constraint }) => (constraint?.type === "start_date" ? [constraint.start_date] : []));
  const prices = [undefined, ...days.toSorted()].map((since): PriceInFile => {
    const possible = pricesOfDay(versions, since ?? "");
    return { ...(since !== undefined && { since }), ...highestRates(possible) };
  });
  return prices.filter((price, at) => at === 0 || !isSame(price, prices[at - 1]!));
}

/**
 * Every price that applies at some hour of a day. Of several versions, the last version with a matching constraint applies, otherwise the
 * first version.
 */
function pricesOfDay(versions: readonly ConditionalPrice[], day: string): ModelPrice[] {
  const possible: ModelPrice[] = [];
  for (const { constraint, prices } of versions.toReversed()) {
    if (constraint?.type === "start_date" && constraint.start_date > day) continue;
    possible.push(prices);
    if (constraint?.type !== "time_of_date") return possible;
  }
  return [...possible, versions[0]!.prices];
}

/**
 * Uses the highest of the prices that depend on the hour. The applicable price depends on the provider's clock and on when the provider
 * counts a request as started. An estimate that is too low could exceed a spend cap.
 */
function highestRates(possible: readonly ModelPrice[]): Omit<PriceInFile, "since"> {
  const searchFees = possible.flatMap(({ web_searches_kcount: fee }) => (typeof fee === "number" ? [toPicos(fee) * 1000] : []));
  const thresholds = [...new Set(possible.flatMap((prices) => Object.values(prices).flatMap(thresholdsOf)))].toSorted((a, b) => a - b);
  const ratesAbove = (tokens: number): RatesInFile => possible.map((prices) => toRates(prices, tokens)).reduce(highest);
  const tiers = thresholds.map((above) => ({ above, rates: ratesAbove(above) }));
  return {
    rates: ratesAbove(-1),
    ...(tiers.length > 0 && { tiers }),
    ...(searchFees.length > 0 && { fees: { web_search: Math.max(...searchFees) } }),
  };
}

function highest(one: RatesInFile, other: RatesInFile): RatesInFile {
  const rate = (at: 0 | 1 | 2 | 3 | 4): number => Math.max(one[at], other[at]);
  const forHour = Math.max(one[5] ?? 0, other[5] ?? 0);
  return [rate(0), rate(1), rate(2), rate(3), rate(4), ...(forHour > 0 ? [forHour] : [])] as unknown as RatesInFile;
}

function isSame(one: PriceInFile, other: PriceInFile): boolean {
  return JSON.stringify([one.rates, one.tiers, one.fees]) === JSON.stringify([other.rates, other.tiers, other.fees]);
}

type Amount = ModelPrice[string];

function thresholdsOf(amount: Amount): number[] {
  return typeof amount === "object" ? amount.tiers.map((tier) => tier.start) : [];
}

/** The rates of a request above a number of input tokens: as in the package, a tier applies to the whole request. */
function toRates(prices: ModelPrice, tokens: number): RatesInFile {
  const rate = (name: string): number | undefined => {
    const amount = amountAbove(prices[name], tokens);
    return amount === undefined ? undefined : toPicos(amount);
  };
  const input = rate("input_mtok")!;
  // Only embedding models have no output rate, and no output.
  const output = rate("output_mtok") ?? 0;
  const forHour = rate("cache_write_1h_mtok");
  // A kind of token without its own price has the price of its group.
  const usual = [
    input,
    rate("cache_read_mtok") ?? input,
    rate("cache_write_mtok") ?? input,
    output,
    rate("output_reasoning_mtok") ?? output,
  ];
  return (forHour === undefined ? usual : [...usual, forHour]) as unknown as RatesInFile;
}

function amountAbove(amount: Amount, tokens: number): number | undefined {
  if (typeof amount !== "object") return amount;
  const reached = amount.tiers.filter((tier) => tier.start <= tokens).toSorted((a, b) => a.start - b.start);
  return reached.at(-1)?.price ?? amount.base;
}

/** A number with this many digits is the result of a calculation, such as a third: people do not write as many. */
const CALCULATED_DIGITS = 14;

/** Converts dollars per million tokens to pico-dollars per token, by decimal digits. Throws for fractions of a pico-dollar. */
export function toPicos(dollars: number): number {
  // The 16th and 17th digits of a float are noise: 0.18000000000000002 is 0.18.
  const text = String(Number(dollars.toPrecision(15)));
  const [, whole, picos = "", finer = ""] = /^(\d+)(?:\.(\d{1,6})(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`not a price in whole pico-dollars: ${dollars}`);
  const rounded = Number(whole + picos.padEnd(6, "0"));
  if (finer === "") return rounded;
  if (text.replace(/^[0.]+/, "").length < CALCULATED_DIGITS) throw new Error(`not a price in whole pico-dollars: ${dollars}`);
  return rounded + 1;
}
