import type { PastRequest } from "../../stores/ledger/past-request-store.ts";
import { mayCall, type Model } from "../../models/catalog.ts";
import type { ErrorCode } from "../../requests/gateway-error.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import { costOf, percentOf, priceInForce, type Price } from "../../money/price.ts";
import { chargedFor, type Judge, type WhatIf } from "./simulation.ts";

const ANYBODY = { models: ["*"] };

/** A model with another price, or in another state. */
export function simulateModelChange(before: Model, after: Model, nowMs: number): WhatIf {
  const isMoved = !Bun.deepEquals(before.state, after.state);
  const price = newPrice(before, after, nowMs);
  const judge = new ModelJudge(refusalBy(before, after, nowMs), price, newPriceOfKept(before, after, price, nowMs));
  return {
    concerns: { model: after.id },
    judge: async () => judge,
    isNoticedByAll: isMoved,
    price,
    replacement: isMoved && after.state.name !== "available" ? after.state.replacement : undefined,
  };
}

/** What every call of it would be refused with that is not refused now. */
function refusalBy(before: Model, after: Model, nowMs: number): ErrorCode | undefined {
  if (!mayCall(ANYBODY, ANYBODY, before, nowMs) || mayCall(ANYBODY, ANYBODY, after, nowMs)) return undefined;
  return after.state.name === "retired" ? "model_retired" : "model_not_allowed";
}

/** The price that comes with the change: in force at once, or the first of those to come that were not announced before. */
function newPrice(before: Model, after: Model, nowMs: number): Price | undefined {
  const known = new Set(before.prices.map(({ version }) => version));
  const now = priceInForce(after.prices, nowMs);
  if (now && now.version !== priceInForce(before.prices, nowMs)?.version) return now;
  return after.prices.find(({ version, effectiveAtMs }) => effectiveAtMs > nowMs && !known.has(version));
}

/** The same for answers that are given again. They cost a part of the price, which may change alone. */
function newPriceOfKept(before: Model, after: Model, price: Price | undefined, nowMs: number): Price | undefined {
  const now = priceInForce(before.prices, nowMs);
  const then = price ?? now;
  if (!then) return undefined;
  const ofKept = percentOf(then, after.cache?.pricePercent ?? 100);
  const wasOfKept = now && percentOf(now, before.cache?.pricePercent ?? 100);
  return ofKept.version === wasOfKept?.version ? undefined : ofKept;
}

/** Everybody meets the same, whoever came before: nothing has to be kept in mind. */
class ModelJudge implements Judge {
  readonly #refusal: ErrorCode | undefined;
  readonly #price: Price | undefined;
  readonly #priceOfKept: Price | undefined;

  constructor(refusal: ErrorCode | undefined, price: Price | undefined, priceOfKept: Price | undefined) {
    this.#refusal = refusal;
    this.#price = price;
    this.#priceOfKept = priceOfKept;
  }

  refusalOf(): ErrorCode | undefined {
    return this.#refusal;
  }

  /** What was reckoned with this very price stays what it was, also where some of it was spared. */
  chargeOf(request: PastRequest): Nanos {
    const { end } = request;
    const price = end?.answer?.upstream === RESPONSE_CACHE ? this.#priceOfKept : this.#price;
    if (!end?.answer || !price || price.version === end.priceVersion) return chargedFor(request);
    return costOf(end.answer.usage, price);
  }

  take(): void {
    // Nothing is counted.
  }

  end(): void {
    // As above.
  }
}
