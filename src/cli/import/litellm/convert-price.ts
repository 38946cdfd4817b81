import type { ModelKind } from "../../../models/catalog.ts";
import type { DeclaredPrice, DeclaredRates } from "../../../money/declared-price.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** LiteLLM's rates per token, and Tollgate's per million tokens. */
const RATES: Readonly<Record<string, keyof DeclaredRates>> = {
  input_cost_per_token: "input_per_million",
  output_cost_per_token: "output_per_million",
  cache_read_input_token_cost: "cached_input_per_million",
  cache_creation_input_token_cost: "cache_write_per_million",
  output_cost_per_reasoning_token: "reasoning_per_million",
};

export interface Pricing {
  readonly free?: true;
  readonly price?: DeclaredPrice;
  readonly prices?: readonly DeclaredPrice[];
}

/** There is a price that cannot be converted. */
export const UNSUPPORTED_PRICE: Pricing = {};

interface FoundRate {
  readonly rate: keyof DeclaredRates;
  /** The minimum prompt length of the tier; 0 for the base rate. */
  readonly above: number;
  readonly node: YamlNode;
}

/** The price in `litellm_params`, else in `model_info`. It is converted completely or not at all. */
export function convertPrice(sections: readonly Fields[], kind: ModelKind, unsupported: Unsupported[]): Pricing {
  const all = findRates(sections);
  const [found, ofOutput] = kind === "chat" ? [all, []] : [all.filter(isOfInput), all.filter((each) => !isOfInput(each))];
  unsupported.push(...ofOutput.filter(({ node }) => node.number !== 0).map(({ node }) => asUnsupported(node, NO_OUTPUT)));
  if (found.length === 0) return {};
  if (found.some(({ node }) => toPerMillion(node) === undefined)) {
    unsupported.push(...found.map(({ node }) => asUnsupported(node, toPerMillion(node) === undefined ? NO_PRICE : IN_PART)));
    return UNSUPPORTED_PRICE;
  }
  const rates = ratesAbove(0, found);
  if (rates.input_per_million === undefined || (kind === "chat" && rates.output_per_million === undefined)) {
    const needed = kind === "chat" ? "both input_cost_per_token and output_cost_per_token" : "input_cost_per_token";
    unsupported.push(...found.map(({ node }) => asUnsupported(node, `a price needs ${needed}`)));
    return UNSUPPORTED_PRICE;
  }
  if (found.every(({ node }) => node.number === 0)) return { free: true };
  return { price: withTiers(rates as DeclaredRates, found) };
}

const NO_PRICE = "a price must be a number of dollars between 0 and 1 with at most 12 decimals; set the model's price by hand";
const IN_PART = "another part of this price cannot be converted; set the model's price by hand";

const NO_OUTPUT = "not converted: an embedding model has no output tokens";

function isOfInput({ rate }: FoundRate): boolean {
  return rate !== "output_per_million" && rate !== "reasoning_per_million";
}

function findRates(sections: readonly Fields[]): FoundRate[] {
  const names = new Set(sections.flatMap((section) => section.names));
  return [...names].flatMap((name) => {
    const [, base, thousands] = /^(.*?)(?:_above_([1-9]\d{0,5})k_tokens)?$/.exec(name) ?? [];
    const rate = base !== undefined && Object.hasOwn(RATES, base) ? RATES[base]! : undefined;
    if (rate === undefined) return [];
    const [node] = sections.flatMap((section) => section.take(name) ?? []);
    return node ? [{ rate, above: thousands === undefined ? 0 : Number(thousands) * 1000, node }] : [];
  });
}

function ratesAbove(above: number, found: readonly FoundRate[]): Partial<DeclaredRates> {
  return Object.fromEntries(found.filter((each) => each.above === above).map(({ rate, node }) => [rate, toPerMillion(node)]));
}

/** A tier uses the base rates for rates that it does not define. */
function withTiers(rates: DeclaredRates, found: readonly FoundRate[]): DeclaredPrice {
  const thresholds = [...new Set(found.map(({ above }) => above))].filter((above) => above > 0).toSorted((a, b) => a - b);
  if (thresholds.length === 0) return rates;
  return { ...rates, tiers: thresholds.map((above) => ({ above_input_tokens: above, ...rates, ...ratesAbove(above, found) })) };
}

/** Undefined if it is not a valid price: a whole number of pico-dollars per token. */
function toPerMillion({ number }: YamlNode): number | undefined {
  if (number === undefined || number < 0 || number > 1) return undefined;
  const picos = Math.round(number * 1e12);
  return Math.abs(picos - number * 1e12) > 1e-6 * Math.max(1, picos) ? undefined : picos / 1e6;
}
