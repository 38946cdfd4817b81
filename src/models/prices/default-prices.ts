import { readFileSync } from "node:fs";

/** The format of the file that `npm run prices` writes. Names are compared in lower case. */
export type MatchRule =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly and: readonly MatchRule[] }
  | { readonly or: readonly MatchRule[] };

/** Pico-dollars per token, as a compact tuple. */
export type RatesInFile = readonly [
  input: number,
  cachedInput: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
  cacheWriteHour?: number,
];

export interface PriceInFile {
  /** The effective date (UTC). Absent if the price has always been in force. */
  readonly since?: string;
  readonly rates: RatesInFile;
  readonly tiers?: readonly { readonly above: number; readonly rates: RatesInFile }[];
  /** Pico-dollars for each call of a tool that runs at the provider. */
  readonly fees?: Readonly<Record<string, number>>;
}

/** The purpose of a model. Most models are for chat, which the file omits. */
export type ModelMode =
  | "chat"
  | "responses"
  | "completion"
  | "embedding"
  | "rerank"
  | "evaluation"
  | "moderation"
  | "ocr"
  | "image_generation"
  | "video_generation"
  | "audio_speech"
  | "audio_transcription"
  | "realtime";

export interface ModelInFile {
  readonly id: string;
  readonly match: MatchRule;
  /** Absent for chat. */
  readonly mode?: ModelMode;
  /** By ascending date. Absent if the price depends on more than tokens: the name still matches, so that no later rule does. */
  readonly prices?: readonly PriceInFile[];
  /** The prices of an embedding model without an output rate. They are apart, so that no chat model gets free output from them. */
  readonly inputPrices?: readonly PriceInFile[];
}

export interface ProviderInFile {
  readonly id: string;
  /** A regular expression for the start of its base URLs. */
  readonly apiPattern: string;
  /** Providers whose models it resells at their prices. */
  readonly fallbacks?: readonly string[];
  /** Names of models that are not for chat, whether or not they have a price. They take precedence over the mode of a price. */
  readonly modes?: readonly ModeInFile[];
  /** The first match wins. */
  readonly models: readonly ModelInFile[];
}

export interface ModeInFile {
  readonly mode: ModelMode;
  readonly match: MatchRule;
}

interface DefaultPrices {
  /** The package and version of the data. */
  readonly from: string;
  readonly providers: readonly ProviderInFile[];
}

let read: WeakRef<DefaultPrices> | undefined;

/**
 * Loaded on first use and held by a weak reference, because price lookups come in bursts, and then none for days. If it were held
 * permanently, the file would be a fifth of all heap objects of an idle gateway.
 */
export function defaultPrices(): DefaultPrices {
  const known = read?.deref();
  if (known) return known;
  const prices = JSON.parse(readFileSync(new URL("default-prices.json", import.meta.url), "utf8")) as DefaultPrices;
  read = new WeakRef(prices);
  return prices;
}
