import type { Nanos } from "./money.ts";
import type { PremiumUse, Usage } from "./usage.ts";

/** Pico-dollars per token of each kind. A dollar per million tokens is a million pico-dollars per token. */
export interface Rates {
  readonly inputPicos: bigint;
  /** Prompt tokens read from the upstream's cache. */
  readonly cachedInputPicos: bigint;
  /** Prompt tokens written to the upstream's cache. */
  readonly cacheWritePicos: bigint;
  /** Prompt tokens written to the upstream's cache for an hour. Undefined if that is not sold. */
  readonly cacheWriteHourPicos?: bigint | undefined;
  readonly outputPicos: bigint;
  readonly reasoningPicos: bigint;
}

/** Rates for a whole request whose prompt is longer than the threshold. */
export interface Tier {
  readonly aboveInputTokens: number;
  readonly rates: Rates;
}

/** A version of a model's price. Versions are stored forever: every ledger entry refers to the version it was charged with. */
export interface Price {
  readonly version: string;
  readonly effectiveAtMs: number;
  /** Whether the operator set it, or it is built in. */
  readonly source: "operator" | "default";
  readonly rates: Rates;
  /** By ascending threshold. */
  readonly tiers: readonly Tier[];
  /** Millionths by which options of a request multiply all rates, such as 6,000,000 for `fast`. Options without one are not sold. */
  readonly multipliers?: Readonly<Record<string, bigint>> | undefined;
  /** Pico-dollars for each call of a tool that runs at the provider. Tools without a fee are not sold. */
  readonly toolFees?: Readonly<Record<string, bigint>> | undefined;
  /**
   * The ID of the price list that it belongs to; undefined for the price of a model itself. It is part of the hashed content of the
   * version: a receipt names the price list of the price that an entry refers to, so equal rates of two lists must be two versions. Without
   * a price list, the content and the versions are the same as before price lists existed.
   */
  readonly priceList?: string | undefined;
  /**
   * The price that this price is a percentage of, for the auditor. It is not part of the version, because it explains the rates but does
   * not change them.
   */
  readonly derivedFrom?: Derivation | undefined;
}

export interface Derivation {
  readonly version: string;
  readonly percent: number;
}

const PICOS_PER_NANO = 1000n;

const NOTHING: Rates = { inputPicos: 0n, cachedInputPicos: 0n, cacheWritePicos: 0n, outputPicos: 0n, reasoningPicos: 0n };

/** The price of a model that is declared free. */
export const FREE: Price = { version: "free", effectiveAtMs: 0, source: "operator", rates: NOTHING, tiers: [] };

/** A content-addressed price: equal prices always have the same version. */
export function makePrice(price: Omit<Price, "version">): Price {
  const { effectiveAtMs, rates, tiers, multipliers, toolFees, priceList } = price;
  const content: unknown[] = [effectiveAtMs, listOf(rates), tiers.map((tier) => [tier.aboveInputTokens, listOf(tier.rates)])];
  if (priceList !== undefined) content.push(priceList);
  // Prices without them have the versions that they had before these existed.
  if (multipliers || toolFees) content.push([listByName(multipliers), listByName(toolFees)]);
  return { ...price, version: new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16) };
}

function listOf({ inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos, cacheWriteHourPicos }: Rates): string[] {
  const usual = [inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos];
  return (cacheWriteHourPicos === undefined ? usual : [...usual, cacheWriteHourPicos]).map(String);
}

function listByName(values: Readonly<Record<string, bigint>> = {}): [name: string, value: string][] {
  const names = Object.keys(values).toSorted();
  return names.map((name) => [name, String(values[name])]);
}

/** A percentage of a price, with each rate rounded up to a whole pico-dollar and its own version. */
export function percentOf(price: Price, percent: number): Price {
  if (percent === 100 || price.version === FREE.version) return price;
  if (percent === 0 && price.priceList === undefined) return FREE;
  const { version, effectiveAtMs, source, priceList } = price;
  return makePrice({
    effectiveAtMs,
    source,
    ...percentOfTiers(price, percent),
    ...(priceList !== undefined && { priceList }),
    derivedFrom: { version, percent },
  });
}

/** A percentage of all rates, at the same tiers, and of all fees. */
export function percentOfTiers(
  { rates, tiers, multipliers, toolFees }: Price,
  percent: number,
): Pick<Price, "rates" | "tiers" | "multipliers" | "toolFees"> {
  const part = (picos: bigint): bigint => (picos * BigInt(percent) + 99n) / 100n;
  return {
    rates: mapRates(rates, part),
    tiers: tiers.map((tier) => ({ ...tier, rates: mapRates(tier.rates, part) })),
    ...(multipliers && { multipliers }),
    ...(toolFees && { toolFees: mapValues(toolFees, part) }),
  };
}

/** The same change of every rate. */
export function mapRates(rates: Rates, change: (picos: bigint) => bigint): Rates {
  const { cacheWriteHourPicos } = rates;
  return {
    inputPicos: change(rates.inputPicos),
    cachedInputPicos: change(rates.cachedInputPicos),
    cacheWritePicos: change(rates.cacheWritePicos),
    ...(cacheWriteHourPicos !== undefined && { cacheWriteHourPicos: change(cacheWriteHourPicos) }),
    outputPicos: change(rates.outputPicos),
    reasoningPicos: change(rates.reasoningPicos),
  };
}

export function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** The latest effective version, or undefined if no price is in force. */
export function priceInForce(prices: readonly Price[], nowMs: number): Price | undefined {
  // A loop without a closure: this runs for every request.
  for (let at = prices.length - 1; at >= 0; at--) if (prices[at]!.effectiveAtMs <= nowMs) return prices[at];
  return undefined;
}

/** The cost of the tokens, rounded up once to a whole nano-dollar. */
export function costOf(usage: Usage, price: Price): Nanos {
  return toNanos(picosOf(usage, price, ratesOf(usage, price)));
}

/** The rates of a response: of the tier of its longest prompt. */
export function ratesOf({ promptTokens, premium }: Usage, price: Price): Rates {
  return ratesFor(price, premium?.largestPrompt ?? promptTokens);
}

/** The exact cost at the rates of one tier, in pico-dollars. */
export function picosOf(usage: Usage, price: Price, rates: Rates): bigint {
  const picos = picosOfTokens(usage, rates);
  return usage.premium ? withPremium(picos, usage.premium, price, rates) : picos;
}

function picosOfTokens(usage: Usage, rates: Rates): bigint {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  let picos = withMore(0n, promptTokens - cachedTokens - cacheWriteTokens, rates.inputPicos);
  picos = withMore(picos, cachedTokens, rates.cachedInputPicos);
  picos = withMore(picos, cacheWriteTokens, rates.cacheWritePicos);
  picos = withMore(picos, completionTokens - reasoningTokens, rates.outputPicos);
  return withMore(picos, reasoningTokens, rates.reasoningPicos);
}

/** Multipliers apply to tokens, not to fees. What the price does not have costs nothing more. */
function withPremium(picos: bigint, { hourWriteTokens, multipliers, toolCalls }: PremiumUse, price: Price, rates: Rates): bigint {
  const { cacheWritePicos, cacheWriteHourPicos = cacheWritePicos } = rates;
  const tokens = multiplied(picos + BigInt(hourWriteTokens) * (cacheWriteHourPicos - cacheWritePicos), multipliers, price);
  return tokens + feesFor(toolCalls, price);
}

/** The value of a name that anybody may have chosen, such as `constructor`. Undefined if there is none. */
export function valueOf<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The name of the first use that has no price; undefined if all of it has one. */
export function unpricedIn({ hourWriteTokens, toolCalls, multipliers }: PremiumUse, price: Price): string | undefined {
  if (hourWriteTokens > 0 && price.rates.cacheWriteHourPicos === undefined) return "cache_write_1h";
  const tools = Object.keys(toolCalls).filter((tool) => valueOf(price.toolFees, tool) === undefined);
  return [...tools, ...multipliers.filter((option) => valueOf(price.multipliers, option) === undefined)][0];
}

/** An amount multiplied by each of these options, rounded up once. */
export function multiplied(picos: bigint, options: readonly string[], { multipliers }: Price): bigint {
  let [numerator, denominator] = [picos, 1n];
  for (const option of options) {
    numerator *= valueOf(multipliers, option) ?? MILLION;
    denominator *= MILLION;
  }
  return (numerator + denominator - 1n) / denominator;
}

export const MILLION = 1_000_000n;

/** The fees for calls of tools, in pico-dollars. */
export function feesFor(toolCalls: Readonly<Record<string, number>>, { toolFees }: Price): bigint {
  let picos = 0n;
  for (const tool in toolCalls) picos += BigInt(toolCalls[tool]!) * (valueOf(toolFees, tool) ?? 0n);
  return picos;
}

/** Most requests have tokens of two kinds only, and creating a `bigint` is expensive. */
function withMore(sum: bigint, tokens: number, picos: bigint): bigint {
  return tokens === 0 ? sum : sum + BigInt(tokens) * picos;
}

/** The maximum cost of these token counts, whatever kinds of tokens they are. */
export function highestCost(inputTokens: number, outputTokens: number, price: Price): Nanos {
  return toNanos(BigInt(inputTokens) * highestInput(price, inputTokens) + BigInt(outputTokens) * highestOutput(price, inputTokens));
}

/** The output tokens that an amount certainly pays for after a prompt of this length; Infinity if they are free. */
export function affordableOutput(amount: Nanos, inputTokens: number, price: Price): number {
  const output = highestOutput(price, inputTokens);
  const left = amount * PICOS_PER_NANO - BigInt(inputTokens) * highestInput(price, inputTokens);
  if (left < 0n) return 0;
  return output === 0n ? Number.POSITIVE_INFINITY : Number(left / output);
}

export function ratesFor(price: Price, promptTokens: number): Rates {
  let { rates } = price;
  for (const tier of price.tiers) if (promptTokens > tier.aboveInputTokens) rates = tier.rates;
  return rates;
}

/** The highest rates of all tiers up to the prompt's tier: the final count may be in a lower tier. */
function highestInput({ rates, tiers }: Price, inputTokens: number): bigint {
  let highest = highestInputOf(rates);
  for (const tier of tiers) if (inputTokens > tier.aboveInputTokens) highest = higher(highest, highestInputOf(tier.rates));
  return highest;
}

function highestOutput({ rates, tiers }: Price, inputTokens: number): bigint {
  let highest = highestOutputOf(rates);
  for (const tier of tiers) if (inputTokens > tier.aboveInputTokens) highest = higher(highest, highestOutputOf(tier.rates));
  return highest;
}

function highestInputOf({ inputPicos, cachedInputPicos, cacheWritePicos }: Rates): bigint {
  return higher(higher(inputPicos, cachedInputPicos), cacheWritePicos);
}

function highestOutputOf({ outputPicos, reasoningPicos }: Rates): bigint {
  return higher(outputPicos, reasoningPicos);
}

export function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const ALMOST_A_NANO = PICOS_PER_NANO - 1n;

/** Rounded up to a whole nano-dollar. */
export function toNanos(picos: bigint): Nanos {
  return (picos + ALMOST_A_NANO) / PICOS_PER_NANO;
}
