import type { LimitScope, LimitTicket, LocalLimitStore } from "../../stores/limits/limit-store.ts";
import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { isCovered } from "../../models/catalog.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import type { Caps, Limits } from "../../money/limits.ts";
import { capHeadrooms, fitsInto, fitsWhenIdle, hasCaps, tightestFirst } from "../../money/headroom.ts";
import type { Tally } from "../../money/tally.ts";
import type { Platform } from "../platform.ts";
import { priorSpend, type Bounded } from "./prior-spend.ts";
import { chargeAfter, type ModelEffect } from "./simulate-price-change.ts";
import type { SimulatedAdmission, Simulation } from "./simulation.ts";

/** The restrictions of a key or an account: models, rate limits and spend caps. */
interface Bounds {
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
}

/**
 * Simulates a key or an account with other restrictions. Unchanged restrictions reject nothing, because only the effect of the change is
 * wanted.
 */
export function simulateKeyChange(
  who: Bounded,
  before: Bounds,
  after: Bounds,
  platform: Platform,
  effects: ReadonlyMap<string, ModelEffect> = new Map(),
): Simulation {
  const { scope, id, accountId } = who;
  const changed: Changed = {
    models: Bun.deepEquals(before.models, after.models) ? undefined : after.models,
    limits: onlyChanged(before.limits, after.limits),
    caps: onlyChanged(before.caps, after.caps),
    effects,
  };
  const [price, ...others] = [...effects.values()].flatMap((effect) => effect.price ?? []);
  return {
    concerns: [{ accountId, ...(scope === "key" && { keyId: id }) }],
    async startAdmission(fromMs) {
      const spent = hasCaps(changed.caps) ? await priorSpend(who, fromMs, platform) : undefined;
      return new SpenderAdmission(who, changed, spent, platform.emptyLimits(), fromMs);
    },
    affectsAll: false,
    price: others.length === 0 ? price : undefined,
    replacement: undefined,
  };
}

interface Changed {
  /** Undefined when the list is unchanged. */
  readonly models: readonly string[] | undefined;
  readonly limits: Limits;
  readonly caps: Caps;
  /** Of another price list, by model. */
  readonly effects: ReadonlyMap<string, ModelEffect>;
}

/** Unchanged values become null. */
function onlyChanged<T extends Limits | Caps>(before: T, after: T): T {
  const names = Object.keys(after) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, after[name] === before[name] ? null : after[name]])) as unknown as T;
}

/** Checks in the order of admission: models, spend caps, rate limits. */
class SpenderAdmission implements SimulatedAdmission {
  readonly #changed: Changed;
  readonly #spent: Tally | undefined;
  readonly #limits: LocalLimitStore;
  readonly #scopes: readonly LimitScope[];
  readonly #tickets = new Map<number, LimitTicket>();
  readonly #fromMs: number;

  constructor({ scope, id }: Bounded, changed: Changed, spent: Tally | undefined, limits: LocalLimitStore, fromMs: number) {
    this.#changed = changed;
    this.#spent = spent;
    this.#limits = limits;
    this.#scopes = [{ kind: scope, id, limits: changed.limits }];
    this.#fromMs = fromMs;
  }

  refusalOf(request: HistoricalRequest): ErrorCode | undefined {
    const { models } = this.#changed;
    if (models && !isCovered(models, request.model)) return "model_not_allowed";
    const refusal = this.#changed.effects.get(request.model)?.refusal;
    return refusal ?? this.#capRefusalOf(request) ?? this.#limitRefusalOf(request);
  }

  chargeOf(request: HistoricalRequest): bigint {
    return chargeAfter(this.#changed.effects.get(request.model), request);
  }

  take({ id, heldNanos, atMs, ...request }: HistoricalRequest): void {
    if (this.#spent) this.#spent.heldNanos += heldNanos;
    const taken = this.#limits.take(this.#scopes, tokensOf(request), atMs);
    if ("end" in taken) this.#tickets.set(id, taken);
  }

  end(request: HistoricalRequest): void {
    const { id, heldNanos, end } = request;
    this.#tickets.get(id)?.end(tokensOf({ end }));
    this.#tickets.delete(id);
    if (!this.#spent) return;
    this.#spent.heldNanos -= heldNanos;
    // Spend before the range is in the initial sums.
    if (end!.atMs >= this.#fromMs) this.#spent.spend(this.chargeOf(request), end!.atMs);
  }

  #capRefusalOf({ heldNanos, atMs }: HistoricalRequest): ErrorCode | undefined {
    if (!this.#spent) return undefined;
    const headrooms = capHeadrooms(this.#spent, this.#changed.caps, this.#spent.spendingAt(atMs), atMs);
    const full = headrooms.toSorted(tightestFirst).find((headroom) => !fitsInto(headroom, heldNanos));
    return full && (fitsWhenIdle(full, heldNanos) ? "credits_in_flight" : "budget_exceeded");
  }

  #limitRefusalOf(request: HistoricalRequest): ErrorCode | undefined {
    return this.#limits.refusalOf(this.#scopes, tokensOf(request), request.atMs) && "rate_limit_exceeded";
  }
}

/** The tokens of a request. The reservation while it was in flight is not in the ledger. */
function tokensOf({ end }: Pick<HistoricalRequest, "end">): number {
  return end?.answer ? end.answer.usage.promptTokens + end.answer.usage.completionTokens : 0;
}
