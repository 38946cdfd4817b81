import type { IdempotentReply, LedgerStore, Progress, ServedBy } from "../../stores/ledger/ledger-store.ts";
import type { LimitTicket } from "../../stores/limits/limit-store.ts";
import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { Model } from "../../models/catalog.ts";
import { RESPONSE_CACHE, type SettleEntry } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import { NO_CHANGES, type ParameterMapping } from "../../models/parameters/parameter-policy.ts";
import { costOf, unpricedIn, type Price } from "../../money/price.ts";
import type { ReceivedUsage, CountedUsage, Usage } from "../../money/usage.ts";
import type { PremiumDemand } from "../../requests/premium-demand.ts";
import type { DisconnectPolicy } from "../../requests/disconnect-policy.ts";
import type { FindUpstream } from "../gateway.ts";
import type { DeviationCounts } from "../routing/health/deviation-counts.ts";
import { countInterruptedCall, countUsage, type FallbackCandidate, type ServingTerms } from "./cost-bound.ts";

/** What the response cache does for a request. */
export interface CacheUse {
  /** The response that is served instead of a call. */
  readonly hit: CachedResponse | undefined;
  /** The cache key to store the response under; undefined if the response must not be stored. */
  readonly storeAs: string | undefined;
}

interface AdmissionOptions extends ServingTerms {
  readonly requestId: string;
  readonly accountId: string;
  readonly findUpstream: FindUpstream;
  /** The models that may serve the request instead. */
  readonly fallbacks: readonly FallbackCandidate[];
  readonly maxCostNanos: Nanos | undefined;
  readonly cache: CacheUse | undefined;
  readonly ledger: LedgerStore;
  readonly limits: LimitTicket;
  readonly deviations: DeviationCounts;
  readonly onDisconnect: () => DisconnectPolicy;
  readonly nowMs: () => number;
}

/**
 * An admitted request: the credit it holds and the limits it has taken, until it is settled or released. Only the first settlement or
 * release takes effect, so each code path that ends a request can do so without knowing about the others. Only `settlement/settle.ts` ends
 * it.
 */
export class Admission {
  readonly requestId: string;
  readonly accountId: string;
  /** The upstreams at the time of the admission. These upstreams, and the model, may have been removed since. */
  readonly findUpstream: FindUpstream;
  /** The client's `x-max-cost`. */
  readonly maxCostNanos: Nanos | undefined;
  /** Undefined if the model has no response cache, or the client sent `Cache-Control: no-store`. */
  readonly cache: CacheUse | undefined;
  /** The upstream of the attempt in flight. Undefined before the first attempt and between attempts. */
  upstream: string | undefined;
  /** The upstream's name of the model; undefined for a cached response. */
  upstreamModel: string | undefined;
  /** The provider's price for the model at that upstream; undefined if it is unknown. */
  cost: Price | undefined;
  /** The upstream of the last attempt, successful or not. */
  lastUpstream: string | undefined;
  /** What the attempt in flight has taken from the rate limits of its route; undefined if the route has none. */
  routeTicket: LimitTicket | undefined;
  /** How many attempts were made. */
  attempts = 0;
  /** How the request's parameters were mapped in the last attempt. */
  parameterMapping: ParameterMapping = NO_CHANGES;
  /** What the hold covers besides tokens at the usual rates, and the route of the last attempt sends. */
  premium: PremiumDemand | undefined;
  /** Whether the last attempt sent the client's own body. */
  isRelayed = false;
  /** The headers of the upstream that the client receives. Undefined before they have arrived, and if there are none. */
  relayedHeaders: Readonly<Record<string, string>> | undefined;
  /** The `max_tokens` that was sent because the upstream's format requires one. */
  defaultMaxTokens: number | undefined;
  /** The attempts that failed. */
  failedAttempts: readonly FailedAttempt[] = [];
  /** Whether the upstream failed mid-stream. */
  hasUpstreamFailed = false;
  readonly #options: AdmissionOptions;
  /** The terms of the requested model, or of the fallback that serves the request. */
  #terms: ServingTerms;
  /** The settlement or release, once it has started. */
  #ending: Promise<unknown> | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.requestId = options.requestId;
    this.accountId = options.accountId;
    this.findUpstream = options.findUpstream;
    this.#terms = options;
    this.premium = options.premium;
    this.maxCostNanos = options.maxCostNanos;
    this.cache = options.cache;
  }

  /** The model that serves the request: the requested model, or one of its fallbacks. */
  get model(): Model {
    return this.#terms.model;
  }

  get promptEstimate(): number {
    return this.#terms.promptEstimate;
  }

  get promptDerivation(): string | undefined {
    return this.#terms.promptDerivation;
  }

  get maxTokens(): number | undefined {
    return this.#terms.maxTokens;
  }

  get maxOutputTokens(): number {
    return this.#terms.maxOutputTokens;
  }

  get requestedModel(): Model {
    return this.#options.model;
  }

  get fallbacks(): readonly FallbackCandidate[] {
    return this.#options.fallbacks;
  }

  get isFallback(): boolean {
    return this.#terms !== this.#options;
  }

  /** Hands the request to a fallback, or back to the requested model if `fallback` is undefined. No attempt is in flight at that moment. */
  serveBy(fallback: ServingTerms | undefined): void {
    this.#terms = fallback ?? this.#options;
    this.premium = this.#terms.premium;
    this.upstream = undefined;
    this.upstreamModel = undefined;
    this.cost = undefined;
  }

  /** Resolves when the admission has been durably settled, or released. */
  get closed(): Promise<void> {
    if (this.#ending) return this.#ending.then(nothing, nothing);
    this.#closed ??= Promise.withResolvers();
    return this.#closed.promise;
  }

  /** The counts to charge. `promptEstimate` applies if the upstream has not counted the prompt. */
  count(received: ReceivedUsage, isWhole: boolean, promptEstimate = this.#terms.promptEstimate): CountedUsage {
    return countUsage(received, this.#terms, this.premium, isWhole, promptEstimate);
  }

  /** The counts to charge for a call that was cancelled for a client that disconnected. */
  countInterrupted(received: ReceivedUsage): CountedUsage {
    return this.#options.onDisconnect() === "cancel"
      ? this.count(received, false)
      : countInterruptedCall(received, this.#terms, this.premium);
  }

  /** Whether the call in flight goes on when its client disconnects, so that the upstream counts what it generates. */
  get isReadOn(): boolean {
    return this.#options.onDisconnect() === "read";
  }

  costOf({ usage }: CountedUsage): Nanos {
    return costOf(usage, this.#terms.price);
  }

  /** Lets the ledger record the progress of a stream, so that a crash does not make it free. */
  watch(count: () => CountedUsage): void {
    this.#options.ledger.watch(this.requestId, (): Progress | undefined => {
      const { upstream, upstreamModel } = this;
      if (upstream === undefined) return undefined;
      const { usage, provenance } = count();
      const costNanos = costOf(usage, this.#terms.price);
      const upstreamCostNanos = this.#upstreamCostOf(usage, costNanos);
      const { servedBy } = this;
      return { usage, provenance, costNanos, upstream, upstreamModel, costVersion: this.cost?.version, upstreamCostNanos, servedBy };
    });
  }

  /** Charges for the counted usage. Resolves with the entry when it is durable, or with undefined if the admission had already ended. */
  settle(counted: CountedUsage, reason: string, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry | undefined> {
    if (this.#ending) return NOTHING;
    const { ledger, limits, deviations, nowMs } = this.#options;
    const { usage, provenance, isBounded } = counted;
    if (isBounded) deviations.note(this.upstream!, this.model.id, "usage_implausible");
    const unpriced =
      counted.undemanded ?? (usage.premium && this.upstream !== RESPONSE_CACHE ? unpricedIn(usage.premium, this.#terms.price) : undefined);
    if (unpriced !== undefined) deviations.note(this.upstream!, this.model.id, "usage_unpriced", unpriced);
    const costNanos = this.costOf(counted);
    const settlement = {
      atMs: nowMs(),
      reason,
      costNanos,
      capNanos: this.maxCostNanos,
      usage,
      provenance,
      upstream: this.upstream!,
      upstreamModel: this.upstreamModel,
      costVersion: this.cost?.version,
      upstreamCostNanos: this.#upstreamCostOf(usage, costNanos),
      attempts: this.attempts,
      failedAttempts: this.failedAttempts,
      servedBy: this.servedBy,
    };
    const settled = ledger.settle(this.requestId, settlement, reply);
    this.#closeWith(settled);
    limits.end(usage.promptTokens + usage.completionTokens);
    this.routeTicket?.end(usage.promptTokens + usage.completionTokens);
    return settled;
  }

  /** The fallback that serves the request, and whose price is charged; undefined if the requested model serves it. */
  get servedBy(): ServedBy | undefined {
    return this.isFallback ? { model: this.model.id, priceVersion: this.#terms.price.version } : undefined;
  }

  /** What the provider charges for the usage: nothing for a cached response, undefined if the provider's price is unknown. */
  #upstreamCostOf(usage: Usage, costNanos: Nanos): Nanos | undefined {
    if (!this.cost) return this.upstream === RESPONSE_CACHE ? 0n : undefined;
    // Models are often sold at the published price.
    return this.cost.version === this.#terms.price.version ? costNanos : costOf(usage, this.cost);
  }

  /** Releases the hold without a charge. */
  release(reason: string): void {
    if (this.#ending) return;
    const { ledger, limits, nowMs } = this.#options;
    this.#closeWith(NOTHING);
    limits.end(0);
    this.routeTicket?.end(0);
    ledger.release(this.requestId, reason, nowMs(), this.failedAttempts);
  }

  /** `closed` is awaited for few requests, so its promise is made only on demand. */
  #closeWith(ending: Promise<unknown>): void {
    this.#ending = ending;
    this.#closed?.resolve(ending.then(nothing, nothing));
  }
}

const NOTHING = Promise.resolve(undefined);

function nothing(): void {
  // A failed settlement is reported to its caller.
}
