import type { LimitScope, LimitTicket, LocalLimitStore } from "../../stores/limits/limit-store.ts";
import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { isCovered } from "../../models/catalog.ts";
import type { CreditLine } from "../../money/credit-line.ts";
import type { Caps, Limits, Parts, PeriodCaps, RateLimits } from "../../money/limits.ts";
import type { Nanos } from "../../money/money.ts";
import { hasCaps } from "../../money/headroom.ts";
import { dimensionsOf, hasParts, partOf, purseOf } from "../../money/breakdown.ts";
import type { PurseScope } from "../../money/purse.ts";
import type { Platform } from "../platform.ts";
import type { PreviewSubject } from "./prior-spend.ts";
import { SimulatedSpending } from "./simulated-spending.ts";
import { chargeAfter, newPrices, type ModelEffect } from "./simulate-price-change.ts";
import type { Refusal, SimulatedAdmission, Simulation } from "./simulation.ts";

/** The restrictions of a key or an account: models, rate limits and spend caps; for an account, its credit line too. */
interface Bounds {
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
  readonly creditLine?: CreditLine;
  readonly pausedAtMs?: number | null;
  readonly archivedAtMs: number | null;
}

/**
 * Simulates a key or an account with other restrictions. Unchanged restrictions reject nothing, because only the effect of the change is of
 * interest.
 */
export function simulateKeyChange(
  who: PreviewSubject,
  before: Bounds,
  after: Bounds,
  platform: Platform,
  effects: ReadonlyMap<string, ModelEffect> = new Map(),
): Simulation {
  const { scope, id, accountId } = who;
  const changed: ChangedTerms = {
    isStopped: isStopped(after) && !isStopped(before),
    models: Bun.deepEquals(before.models, after.models) ? undefined : after.models,
    limits: changedLimits(before.limits, after.limits),
    caps: changedCaps(before.caps, after.caps),
    effects,
  };
  return {
    concerns: [{ accountId, ...(scope === "key" && { keyId: id }) }],
    async startAdmission(fromMs) {
      const creditNanos = changedCredit(who, before, after, platform);
      const isCapped = hasCaps(changed.caps) || hasParts(changed.caps) || creditNanos !== undefined;
      const spending = isCapped ? await SimulatedSpending.from(who, changed.caps, creditNanos, fromMs, platform) : undefined;
      return new SpenderAdmission(who, changed, spending, platform.emptyLimits(), fromMs);
    },
    affectsAll: false,
    ...newPrices(effects.values(), platform.nowMs()),
    replacement: undefined,
  };
}

/**
 * The total amount that an account may spend with another credit line, as if all credit that it has been granted had been available from
 * the start.
 */
function changedCredit(
  { id }: PreviewSubject,
  before: Bounds,
  { creditLine }: Bounds,
  { ledgerRecords, nowMs }: Platform,
): Nanos | undefined {
  if (creditLine === undefined || creditLine === "unlimited" || creditLine === before.creditLine) return undefined;
  return ledgerRecords.balanceOf(id).creditNanos + ledgerRecords.spendingOf("account", id, nowMs()).totalNanos + creditLine;
}

/** An archived key is paused too, unless it was revoked. */
function isStopped({ pausedAtMs, archivedAtMs }: Bounds): boolean {
  return (pausedAtMs ?? null) !== null || archivedAtMs !== null;
}

interface ChangedTerms {
  /** Whether the key is paused, or the account archived. */
  readonly isStopped: boolean;
  /** Undefined if the list is unchanged. */
  readonly models: readonly string[] | undefined;
  readonly limits: Limits;
  readonly caps: Caps;
  /** The effects of another price list, by model. */
  readonly effects: ReadonlyMap<string, ModelEffect>;
}

/** Checks in the order of admission: models, spend caps, rate limits. */
class SpenderAdmission implements SimulatedAdmission {
  readonly #changed: ChangedTerms;
  readonly #spending: SimulatedSpending | undefined;
  readonly #limits: LocalLimitStore;
  readonly #who: PreviewSubject;
  readonly #tickets = new Map<number, LimitTicket>();
  readonly #fromMs: number;

  constructor(
    who: PreviewSubject,
    changed: ChangedTerms,
    spending: SimulatedSpending | undefined,
    limits: LocalLimitStore,
    fromMs: number,
  ) {
    this.#who = who;
    this.#changed = changed;
    this.#spending = spending;
    this.#limits = limits;
    this.#fromMs = fromMs;
  }

  refusalOf(request: HistoricalRequest): Refusal | undefined {
    const { models, effects } = this.#changed;
    if (this.#changed.isStopped) return { code: "api_key_paused" };
    if (models && !isCovered(models, request.requestedModel)) return { code: "model_not_allowed" };
    const code = effects.get(request.model)?.refusal;
    if (code) return { code };
    return this.#spending?.refusalOf(request.attribution, request.heldNanos, request.atMs) ?? this.#limitRefusalOf(request);
  }

  chargeOf(request: HistoricalRequest): bigint {
    return chargeAfter(this.#changed.effects.get(request.model), request);
  }

  take(request: HistoricalRequest): void {
    this.#spending?.hold(request.attribution, request.heldNanos);
    const taken = this.#limits.take(this.#scopesOf(request), tokensOf(request), request.atMs);
    if ("end" in taken) this.#tickets.set(request.id, taken);
  }

  end(request: HistoricalRequest): void {
    const { id, heldNanos, attribution, end } = request;
    this.#tickets.get(id)?.end(tokensOf({ end }));
    this.#tickets.delete(id);
    this.#spending?.hold(attribution, -heldNanos);
    // Spend before the range is included in the initial sums.
    if (end!.atMs >= this.#fromMs) this.#spending?.spend(attribution, this.chargeOf(request), end!.atMs);
  }

  #limitRefusalOf(request: HistoricalRequest): Refusal | undefined {
    const refusal = this.#limits.refusalOf(this.#scopesOf(request), tokensOf(request), request.atMs);
    return refusal && { code: "rate_limit_exceeded", purse: { scope: refusal.scope.kind as PurseScope, id: refusal.scope.id } };
  }

  #scopesOf({ attribution }: HistoricalRequest): readonly LimitScope[] {
    const { scope: owner, id: ownerId } = this.#who;
    const { limits } = this.#changed;
    const parts = dimensionsOf(limits).map((by): LimitScope => {
      const { scope: kind, id } = purseOf({ owner, ownerId, by }, attribution);
      return { kind, id, limits: partOf(limits, by)! };
    });
    return [{ kind: owner, id: ownerId, limits }, ...parts];
  }
}

/** The tokens of a request. The tokens reserved while it was in flight are not in the ledger. */
function tokensOf({ end }: Pick<HistoricalRequest, "end">): number {
  return end?.answer ? end.answer.usage.promptTokens + end.answer.usage.completionTokens : 0;
}

/** The limits that a change sets. Unchanged values become null, and unchanged parts are omitted. */
function changedLimits(before: Limits, after: Limits): Limits {
  const { perUser, perTag, ...own } = after;
  return { ...onlyChanged<RateLimits>(before, own), ...changedParts<RateLimits>(before, { perUser, perTag }) };
}

function changedCaps(before: Caps, after: Caps): Caps {
  const { perUser, perTag, ...own } = after;
  return { ...onlyChanged(before, own), ...changedParts<PeriodCaps>(before, { perUser, perTag }) };
}

function changedParts<Part extends object>(before: Parts<Part>, { perUser, perTag }: Parts<Part>): Parts<Part> {
  const tags = Object.entries(perTag ?? {}).map(([name, part]) => [name, onlyChanged(before.perTag?.[name], part)] as const);
  const changedTags = tags.filter(([, part]) => isAnySet(part));
  const ofUser = perUser && onlyChanged(before.perUser, perUser);
  return {
    ...(ofUser && isAnySet(ofUser) && { perUser: ofUser }),
    ...(changedTags.length > 0 && { perTag: Object.fromEntries(changedTags) }),
  };
}

function onlyChanged<T extends object>(before: T | undefined, after: T): T {
  const names = Object.keys(after) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, after[name] === before?.[name] ? null : after[name]])) as unknown as T;
}

function isAnySet(part: object): boolean {
  return Object.values(part).some((value) => value !== null);
}
