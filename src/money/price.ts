import type { Nanos } from "./money.ts";
import type { Usage } from "./usage.ts";

/** Pico-dollars for one token of each kind. A dollar per million tokens is a million pico-dollars per token. */
export interface Rates {
  readonly inputPicos: bigint;
  /** Tokens of the prompt that the upstream had cached. */
  readonly cachedInputPicos: bigint;
  /** Tokens of the prompt that the upstream put into its cache. */
  readonly cacheWritePicos: bigint;
  readonly outputPicos: bigint;
  readonly reasoningPicos: bigint;
}

/** Rates for the whole of a request whose prompt is longer than so many tokens. */
export interface Tier {
  readonly aboveInputTokens: number;
  readonly rates: Rates;
}

/** A version of a model's price. Versions are stored forever: every ledger entry names the one it was charged by. */
export interface Price {
  readonly version: string;
  readonly effectiveAtMs: number;
  /** Whether somebody set it here or it came with Tollgate. */
  readonly source: "operator" | "default";
  readonly rates: Rates;
  /** By rising threshold. */
  readonly tiers: readonly Tier[];
}

const PICOS_PER_NANO = 1000n;

const NOTHING: Rates = { inputPicos: 0n, cachedInputPicos: 0n, cacheWritePicos: 0n, outputPicos: 0n, reasoningPicos: 0n };

/** The price of a model that the operator says is free. */
export const FREE: Price = { version: "free", effectiveAtMs: 0, source: "operator", rates: NOTHING, tiers: [] };

/** A price, named for what it says: the same price has the same version wherever and whenever it is made. */
export function makePrice(price: Omit<Price, "version">): Price {
  const { effectiveAtMs, rates, tiers } = price;
  const says = JSON.stringify([effectiveAtMs, listOf(rates), tiers.map((tier) => [tier.aboveInputTokens, listOf(tier.rates)])]);
  return { ...price, version: new Bun.CryptoHasher("sha256").update(says).digest("hex").slice(0, 16) };
}

function listOf(rates: Rates): string[] {
  return [rates.inputPicos, rates.cachedInputPicos, rates.cacheWritePicos, rates.outputPicos, rates.reasoningPicos].map(String);
}

/** So many percent of a price, each rate rounded up to a whole pico-dollar: a price like every other, with a version of its own. */
export function percentOf(price: Price, percent: number): Price {
  if (percent === 100 || price.version === FREE.version) return price;
  if (percent === 0) return FREE;
  const { effectiveAtMs, source, tiers } = price;
  const rates = percentOfRates(price.rates, percent);
  return makePrice({ effectiveAtMs, source, rates, tiers: tiers.map((tier) => ({ ...tier, rates: percentOfRates(tier.rates, percent) })) });
}

function percentOfRates(rates: Rates, percent: number): Rates {
  const part = (picos: bigint): bigint => (picos * BigInt(percent) + 99n) / 100n;
  return {
    inputPicos: part(rates.inputPicos),
    cachedInputPicos: part(rates.cachedInputPicos),
    cacheWritePicos: part(rates.cacheWritePicos),
    outputPicos: part(rates.outputPicos),
    reasoningPicos: part(rates.reasoningPicos),
  };
}

/** The last of the versions that has taken effect, or undefined where the model has no price at this moment. */
export function priceInForce(prices: readonly Price[], nowMs: number): Price | undefined {
  // A loop, and no closure: every request asks.
  for (let at = prices.length - 1; at >= 0; at--) if (prices[at]!.effectiveAtMs <= nowMs) return prices[at];
  return undefined;
}

/** What the tokens cost. The one rounding of a request, upward to a whole nano-dollar. */
export function costOf(usage: Usage, price: Price): Nanos {
  return toNanos(picosOf(usage, ratesFor(price, usage.promptTokens)));
}

/** The same at these rates, in pico-dollars, which are exact. */
export function picosOf(usage: Usage, rates: Rates): bigint {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  let picos = withMore(0n, promptTokens - cachedTokens - cacheWriteTokens, rates.inputPicos);
  picos = withMore(picos, cachedTokens, rates.cachedInputPicos);
  picos = withMore(picos, cacheWriteTokens, rates.cacheWritePicos);
  picos = withMore(picos, completionTokens - reasoningTokens, rates.outputPicos);
  return withMore(picos, reasoningTokens, rates.reasoningPicos);
}

/** Most requests have tokens of two kinds only, and creating a `bigint` is expensive. */
function withMore(sum: bigint, tokens: number, picos: bigint): bigint {
  return tokens === 0 ? sum : sum + BigInt(tokens) * picos;
}

/** The most that so many tokens can cost, whatever kinds they turn out to be. */
export function highestCost(inputTokens: number, outputTokens: number, price: Price): Nanos {
  return toNanos(BigInt(inputTokens) * highestInput(price, inputTokens) + BigInt(outputTokens) * highestOutput(price, inputTokens));
}

/** How many tokens of output an amount surely pays for behind so long a prompt; Infinity where they cost nothing. */
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

/** Of the tiers up to the one that so long a prompt is in: fewer of its tokens may be counted in the end. */
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

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const ALMOST_A_NANO = PICOS_PER_NANO - 1n;

function toNanos(picos: bigint): Nanos {
  return (picos + ALMOST_A_NANO) / PICOS_PER_NANO;
}
