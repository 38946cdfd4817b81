import type { IdempotentReply, LedgerStore, Progress } from "../../stores/ledger/ledger-store.ts";
import type { LimitTicket } from "../../stores/limits/limit-store.ts";
import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { FailedAttempt } from "../../requests/attempt.ts";
import type { Model } from "../../models/catalog.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import { EVERYTHING, type ParameterMapping } from "../../models/parameters/parameters.ts";
import { costOf, type Price } from "../../money/price.ts";
import type { CountedUsage } from "../../money/usage.ts";
import type { FindUpstream } from "../gateway.ts";

/** What the kept answers of a model have to do with a request. */
export interface CacheUse {
  /** The one that is given in the place of a call. */
  readonly kept: CachedResponse | undefined;
  /** The key under which the answer is to be kept, if it is. */
  readonly keepAs: string | undefined;
}

export interface AdmissionOptions {
  readonly requestId: string;
  readonly accountId: string;
  readonly model: Model;
  readonly findUpstream: FindUpstream;
  readonly price: Price;
  readonly promptEstimate: number;
  readonly promptDerivation: string | undefined;
  readonly maxTokens: number | undefined;
  readonly reckonedTokens: number;
  readonly maxCostNanos: Nanos | undefined;
  readonly cache: CacheUse | undefined;
  readonly ledger: LedgerStore;
  readonly limits: LimitTicket;
  readonly nowMs: () => number;
}

/**
 * A request that was let in: the credit it holds and the limits it has taken, until it is settled or released. Whichever comes
 * first counts, and it counts once, so that every way out may say how it ended without knowing of the others.
 */
export class Admission {
  readonly requestId: string;
  readonly accountId: string;
  readonly model: Model;
  /** Among the upstreams that were there with this model: either may have gone since. */
  readonly findUpstream: FindUpstream;
  /** The tokens of the prompt, for where the upstream does not count them. */
  readonly promptEstimate: number;
  /** How the tokens of its media were found; undefined where there are none. */
  readonly promptDerivation: string | undefined;
  /** The limit to put to the upstream, where it is not the caller's own. */
  readonly maxTokens: number | undefined;
  /** What each choice is reckoned to have at most. */
  readonly reckonedTokens: number;
  /** What the caller is willing to pay at most. */
  readonly maxCostNanos: Nanos | undefined;
  /** Undefined where the model keeps no answers, or the caller wants none of them. */
  readonly cache: CacheUse | undefined;
  /** Where it is. Undefined while no upstream is at work for it. */
  upstream: string | undefined;
  /** The name of the model there; undefined where an answer is given again. */
  upstreamModel: string | undefined;
  /** The version of what the provider charges for it there, where the operator has set that. */
  costVersion: string | undefined;
  /** Where it was tried last, whether or not that answers. */
  lastTriedAt: string | undefined;
  /** How often it was tried. */
  attempts = 0;
  /** How its parameters travelled to where it was tried last. */
  carriage: ParameterMapping = EVERYTHING;
  /** The limit that the upstream was told because its format needs one. */
  defaultMaxTokens: number | undefined;
  /** The tries that did not answer. */
  failedAttempts: readonly FailedAttempt[] = [];
  /** Whether the upstream has broken its answer off. */
  hasBrokenOff = false;
  readonly #options: AdmissionOptions;
  /** How it ends, once that has begun. */
  #ending: Promise<unknown> | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.requestId = options.requestId;
    this.accountId = options.accountId;
    this.model = options.model;
    this.findUpstream = options.findUpstream;
    this.promptEstimate = options.promptEstimate;
    this.promptDerivation = options.promptDerivation;
    this.maxTokens = options.maxTokens;
    this.reckonedTokens = options.reckonedTokens;
    this.maxCostNanos = options.maxCostNanos;
    this.cache = options.cache;
  }

  /** Resolves when it has been settled, durably, or released. */
  get closed(): Promise<void> {
    if (this.#ending) return this.#ending.then(nothing, nothing);
    this.#closed ??= Promise.withResolvers();
    return this.#closed.promise;
  }

  costOf({ usage }: CountedUsage): Nanos {
    return costOf(usage, this.#options.price);
  }

  /** Lets the ledger ask how far the answer has come, so that a crash does not make it free. */
  watch(count: () => CountedUsage): void {
    this.#options.ledger.watch(this.requestId, (): Progress | undefined => {
      const { upstream, upstreamModel, costVersion } = this;
      const counted = count();
      return upstream === undefined ? undefined : { ...counted, costNanos: this.costOf(counted), upstream, upstreamModel, costVersion };
    });
  }

  /** Charges what was counted. Resolves when that is durable, with the entry; with undefined where it had ended before. */
  settle(counted: CountedUsage, reason: string, answer?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry | undefined> {
    if (this.#ending) return NOTHING;
    const { ledger, limits, nowMs } = this.#options;
    const { usage, provenance } = counted;
    const settlement = {
      atMs: nowMs(),
      reason,
      costNanos: this.costOf(counted),
      capNanos: this.maxCostNanos,
      usage,
      provenance,
      upstream: this.upstream!,
      upstreamModel: this.upstreamModel,
      costVersion: this.costVersion,
      attempts: this.attempts,
      failedAttempts: this.failedAttempts,
    };
    const settled = ledger.settle(this.requestId, settlement, answer);
    this.#closeWith(settled);
    limits.end(usage.promptTokens + usage.completionTokens);
    return settled;
  }

  /** Gives back what was held. */
  release(reason: string): void {
    if (this.#ending) return;
    const { ledger, limits, nowMs } = this.#options;
    this.#closeWith(NOTHING);
    limits.end(0);
    ledger.release(this.requestId, reason, nowMs(), this.failedAttempts);
  }

  /** Of most requests nobody asks when they are closed. */
  #closeWith(ending: Promise<unknown>): void {
    this.#ending = ending;
    this.#closed?.resolve(ending.then(nothing, nothing));
  }
}

const NOTHING = Promise.resolve(undefined);

function nothing(): void {
  // Whoever waits for the end hears of a failure elsewhere.
}
