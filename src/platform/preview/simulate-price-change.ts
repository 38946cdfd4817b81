import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { isCallable, type Catalog, type Model } from "../../models/catalog.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import { costOf, percentOf, priceInForce, type Price } from "../../money/price.ts";
import { chargedFor, type Refusal, type SimulatedAdmission, type Simulation } from "./simulation.ts";

/** The effect of a change on the requests to one model by accounts with the same prices. */
export interface ModelEffect {
  /** The error of every call after the change, when there is none before it. */
  readonly refusal: ErrorCode | undefined;
  /** The new price; undefined if it does not change. */
  readonly price: Price | undefined;
  /** The new price of cached responses. It is a percentage of the price, and the percentage may also change. */
  readonly cachedPrice: Price | undefined;
}

export function effectOf(before: Model, after: Model, nowMs: number): ModelEffect {
  const price = newPrice(before, after, nowMs);
  return { refusal: refusalBy(before, after, nowMs), price, cachedPrice: newCachedPrice(before, after, price, nowMs) };
}

/** The effects of other prices, by model: of another price list, or of another version of a price list. */
export function effectsOf(before: Catalog, after: Catalog, nowMs: number): ReadonlyMap<string, ModelEffect> {
  const both = [...before.values()].filter(({ id }) => after.has(id));
  return new Map(both.map((model) => [model.id, effectOf(model, after.get(model.id)!, nowMs)]));
}

/** The new prices of a change, as its preview reports them. */
export function newPrices(effects: Iterable<ModelEffect>, nowMs: number): Pick<Simulation, "price" | "pricesFromMs"> {
  const prices = [...effects].flatMap(({ price }) => price ?? []);
  const upcoming = prices.map(({ effectiveAtMs }) => effectiveAtMs).filter((atMs) => atMs > nowMs);
  return {
    price: prices.length === 1 ? prices[0] : undefined,
    pricesFromMs: upcoming.length === 0 ? undefined : upcoming.reduce((one, other) => Math.min(one, other)),
  };
}

function refusalBy(before: Model, after: Model, nowMs: number): ErrorCode | undefined {
  if (!isCallable(before, nowMs) || isCallable(after, nowMs)) return undefined;
  return after.state.name === "retired" ? "model_retired" : "model_not_allowed";
}

/** The new price of the change: the price that takes effect immediately, or the first upcoming price that was not announced before. */
function newPrice(before: Model, after: Model, nowMs: number): Price | undefined {
  const known = new Set(before.prices.map(({ version }) => version));
  const now = priceInForce(after.prices, nowMs);
  if (now && now.version !== priceInForce(before.prices, nowMs)?.version) return now;
  return after.prices.find(({ version, effectiveAtMs }) => effectiveAtMs > nowMs && !known.has(version));
}

function newCachedPrice(before: Model, after: Model, price: Price | undefined, nowMs: number): Price | undefined {
  const now = priceInForce(before.prices, nowMs);
  const then = price ?? now;
  if (!then) return undefined;
  const cached = percentOf(then, after.cache?.pricePercent ?? 100);
  const cachedBefore = now && percentOf(now, before.cache?.pricePercent ?? 100);
  return cached.version === cachedBefore?.version ? undefined : cached;
}

/** The charge after the change. A charge with this price version does not change, including its uncharged part. */
export function chargeAfter(effect: ModelEffect | undefined, request: HistoricalRequest): Nanos {
  const { end } = request;
  const price = end?.answer?.upstream === RESPONSE_CACHE ? effect?.cachedPrice : effect?.price;
  if (!end?.answer || !price || price.version === end.priceVersion) return chargedFor(request);
  return costOf(end.answer.usage, price);
}

/** Admission after a change of prices. It has no state: it does not depend on earlier requests. */
export class PricedAdmission implements SimulatedAdmission {
  readonly #effectOn: (request: HistoricalRequest) => ModelEffect | undefined;

  constructor(effectOn: (request: HistoricalRequest) => ModelEffect | undefined) {
    this.#effectOn = effectOn;
  }

  refusalOf(request: HistoricalRequest): Refusal | undefined {
    const code = this.#effectOn(request)?.refusal;
    return code && { code };
  }

  chargeOf(request: HistoricalRequest): Nanos {
    return chargeAfter(this.#effectOn(request), request);
  }

  take(): void {
    // Nothing to do, because there is no state.
  }

  end(): void {
    // Nothing to do, because there is no state.
  }
}
