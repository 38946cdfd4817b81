import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { mayCall, type Model } from "../../models/catalog.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import { costOf, percentOf, priceInForce, type Price } from "../../money/price.ts";
import { chargedFor, type SimulatedAdmission, type Simulation } from "./simulation.ts";

const ANYBODY = { models: ["*"] };

/** Simulates a model with another price or state. */
export function simulateModelChange(before: Model, after: Model, nowMs: number): Simulation {
  const isMoved = !Bun.deepEquals(before.state, after.state);
  const price = newPrice(before, after, nowMs);
  const admission = new ModelAdmission(refusalBy(before, after, nowMs), price, newCachedPrice(before, after, price, nowMs));
  return {
    concerns: { model: after.id },
    startAdmission: async () => admission,
    affectsAll: isMoved,
    price,
    replacement: isMoved && after.state.name !== "available" ? after.state.replacement : undefined,
  };
}

/** The error of every call after the change, when there is none before it. */
function refusalBy(before: Model, after: Model, nowMs: number): ErrorCode | undefined {
  if (!mayCall(ANYBODY, ANYBODY, before, nowMs) || mayCall(ANYBODY, ANYBODY, after, nowMs)) return undefined;
  return after.state.name === "retired" ? "model_retired" : "model_not_allowed";
}

/** The new price of the change: in force immediately, or the first upcoming one that was not announced before. */
function newPrice(before: Model, after: Model, nowMs: number): Price | undefined {
  const known = new Set(before.prices.map(({ version }) => version));
  const now = priceInForce(after.prices, nowMs);
  if (now && now.version !== priceInForce(before.prices, nowMs)?.version) return now;
  return after.prices.find(({ version, effectiveAtMs }) => effectiveAtMs > nowMs && !known.has(version));
}

/** The new price of cached responses, a percentage of the price that may change on its own. */
function newCachedPrice(before: Model, after: Model, price: Price | undefined, nowMs: number): Price | undefined {
  const now = priceInForce(before.prices, nowMs);
  const then = price ?? now;
  if (!then) return undefined;
  const cached = percentOf(then, after.cache?.pricePercent ?? 100);
  const cachedBefore = now && percentOf(now, before.cache?.pricePercent ?? 100);
  return cached.version === cachedBefore?.version ? undefined : cached;
}

/** The same for every request, whatever came before: it has no state. */
class ModelAdmission implements SimulatedAdmission {
  readonly #refusal: ErrorCode | undefined;
  readonly #price: Price | undefined;
  readonly #cachedPrice: Price | undefined;

  constructor(refusal: ErrorCode | undefined, price: Price | undefined, cachedPrice: Price | undefined) {
    this.#refusal = refusal;
    this.#price = price;
    this.#cachedPrice = cachedPrice;
  }

  refusalOf(): ErrorCode | undefined {
    return this.#refusal;
  }

  /** A charge at this very price version stays unchanged, including its uncharged part. */
  chargeOf(request: HistoricalRequest): Nanos {
    const { end } = request;
    const price = end?.answer?.upstream === RESPONSE_CACHE ? this.#cachedPrice : this.#price;
    if (!end?.answer || !price || price.version === end.priceVersion) return chargedFor(request);
    return costOf(end.answer.usage, price);
  }

  take(): void {
    // It has no state.
  }

  end(): void {
    // It has no state.
  }
}
