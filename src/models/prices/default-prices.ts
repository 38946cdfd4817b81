import { readFileSync } from "node:fs";

/** What `npm run prices` writes, and how a model is matched by name. Texts are in lower case, as are the compared names. */
export type MatchRule =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly and: readonly MatchRule[] }
  | { readonly or: readonly MatchRule[] };

/** Pico-dollars for one token, in an order that fits a line. */
export type RatesInFile = readonly [input: number, cachedInput: number, cacheWrite: number, output: number, reasoning: number];

export interface PriceInFile {
  /** The day, in UTC, from which it holds. Absent where it has always held. */
  readonly since?: string;
  readonly rates: RatesInFile;
  readonly tiers?: readonly { readonly above: number; readonly rates: RatesInFile }[];
}

export interface ModelInFile {
  readonly id: string;
  readonly match: MatchRule;
  /** By rising date. Absent where tokens alone do not make the price: the name is known, so no later rule may claim it. */
  readonly prices?: readonly PriceInFile[];
}

export interface ProviderInFile {
  readonly id: string;
  /** A regular expression for the beginning of its base URLs. */
  readonly apiPattern: string;
  /** Providers whose models it sells at their prices. */
  readonly fallbacks?: readonly string[];
  /** The first that matches is the one. */
  readonly models: readonly ModelInFile[];
}

export interface DefaultPrices {
  /** The package and the version they were taken from. */
  readonly from: string;
  readonly providers: readonly ProviderInFile[];
}

let read: WeakRef<DefaultPrices> | undefined;

/**
 * Read when asked for, and kept while it is of use: one who asks for a price mostly asks for more, and then not again for days. Kept
 * for good it would be a fifth of all objects of a gateway at rest.
 */
export function defaultPrices(): DefaultPrices {
  const known = read?.deref();
  if (known) return known;
  const prices = JSON.parse(readFileSync(new URL("default-prices.json", import.meta.url), "utf8")) as DefaultPrices;
  read = new WeakRef(prices);
  return prices;
}
