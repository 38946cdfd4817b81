import type { Nanos } from "../../../money/money.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import { yieldToEventLoop } from "../commit/yield-to-event-loop.ts";
import type { AdmissionDeadline } from "./admission-deadline.ts";
import { NO_ANSWER } from "./authority.ts";
import { authorityAway } from "../../../requests/authority-away.ts";
import type { CreditSlices } from "./credit-slices.ts";

/**
 * How long no lease is requested for a purse that was exhausted, unless the authority reports new credit. After this time the balance may
 * have changed.
 */
const EXHAUSTED_MS = 1000;
/** The number of end users is not limited: above this number of purses, purses that may be asked for again are forgotten. */
const MANY = 10_000;
/** The maximum number of waits: under load there is always another request that asks for more. */
const MAX_WAITS = 3;

interface WideningOptions {
  readonly slices: CreditSlices;
  /** Ships everything recorded until now. */
  readonly ship: () => Promise<void>;
  /** Asks the other processes to return unused credit of a purse. */
  readonly recall: (purse: Purse) => Promise<void>;
  readonly deadline: AdmissionDeadline;
  readonly monotonicMs: () => number;
}

/**
 * Widens the slices of a process: a request that would exceed a slice asks the authority for more, and asks once more after other processes
 * have returned unused credit.
 */
export class Widening {
  /** Whether the authority grants leases: it does not before all processes have stated their leases. */
  isLeasing = true;
  readonly #options: WideningOptions;
  /** The times until which purses are not asked for, because they had nothing left for this process. */
  readonly #exhausted = new Map<PurseKey, number>();
  readonly #recalling = new Map<PurseKey, Promise<void>>();
  /** The amounts that requests wait for, by purse. */
  readonly #awaited = new Map<PurseKey, Nanos>();
  /** The last call that asked the authority for more. */
  #asking: Promise<void> = Promise.resolve();
  /** The number of notices that a purse has credit again. */
  #freed = 0;

  constructor(options: WideningOptions) {
    this.#options = options;
  }

  /**
   * Leases more of the purses, so that each has this amount available, or all that the purse has. Throws `overloaded` if the authority, or
   * a process with a lease, is away.
   */
  async widen(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    await this.#lease(purses, nanos);
    if (purses.some((purse) => this.#isStranded(purse, nanos))) throw authorityAway("a gateway process with leased credit does not answer");
  }

  async #lease(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    let short = this.#shortOf(purses, nanos);
    if (short.length === 0) return;
    let freed = this.#freed;
    await this.#widenTogether(short, nanos);
    short = this.#shortOf(short, nanos);
    const leasedElsewhere = short.filter((purse) => (this.#options.slices.find(purse)?.state?.elsewhereNanos ?? 0n) > 0n);
    if (leasedElsewhere.length > 0) {
      await Promise.all(leasedElsewhere.map((purse) => this.#recall(purse)));
      short = this.#shortOf(short, nanos);
      freed = this.#freed;
      if (short.length > 0) await this.#widenTogether(short, nanos);
    }
    // A notice that the purse has credit again may have arrived with the reply.
    if (freed !== this.#freed) return;
    const nowMs = this.#options.monotonicMs();
    if (this.#exhausted.size > MANY) for (const [key, untilMs] of this.#exhausted) if (untilMs <= nowMs) this.#exhausted.delete(key);
    const untilMs = nowMs + EXHAUSTED_MS;
    for (const purse of this.#shortOf(short, nanos)) this.#exhausted.set(purseKey(purse), untilMs);
  }

  /**
   * Whether a purse has too little while a process that is away has a lease of it. Such a fault must not be reported as a lack of credit.
   */
  #isStranded(purse: Purse, nanos: Nanos): boolean {
    const { slices } = this.#options;
    return slices.availableOf(purse) < nanos && slices.find(purse)?.state?.isStranded === true;
  }

  /** The purse has credit again. */
  onCreditAvailable(purse: Purse): void {
    this.#freed++;
    this.#exhausted.delete(purseKey(purse));
  }

  /** Forgets which purses had nothing left: the authority may be a different one. */
  forget(): void {
    this.#freed++;
    this.#exhausted.clear();
  }

  /** The purses that have too little available here, and may have more at the authority. */
  #shortOf(purses: readonly Purse[], nanos: Nanos): Purse[] {
    const nowMs = this.#options.monotonicMs();
    return purses.filter(
      (purse) => this.#options.slices.availableOf(purse) < nanos && !(nowMs < (this.#exhausted.get(purseKey(purse)) ?? nowMs)),
    );
  }

  /** Requests that wait at the same time share one recall of a purse. */
  #recall(purse: Purse): Promise<void> {
    const key = purseKey(purse);
    let recalling = this.#recalling.get(key);
    if (!recalling) {
      recalling = this.#options
        .recall(purse)
        .catch(() => Promise.reject(authorityAway(NO_ANSWER)))
        .finally(() => this.#recalling.delete(key));
      this.#recalling.set(key, recalling);
    }
    return recalling;
  }

  /** Requests that wait at the same time need the sum of their amounts. */
  async #widenTogether(purses: readonly Purse[], nanos: Nanos): Promise<void> {
    if (!this.#options.deadline.mayAdmit(this.#options.monotonicMs())) throw authorityAway(NO_ANSWER);
    for (const purse of purses) this.#addAwaited(purse, nanos);
    for (const purse of purses) this.#options.slices.widen(purse, this.#awaitedOf(purse));
    const asking = this.#options.ship();
    this.#asking = asking.catch(() => undefined);
    try {
      await asking;
    } catch {
      throw authorityAway(NO_ANSWER);
    } finally {
      for (const purse of purses) this.#addAwaited(purse, -nanos);
    }
    if (!this.isLeasing) throw authorityAway(NO_ANSWER);
  }

  /**
   * Whether the authority is being asked for more of a purse at this moment: an amount that is returned meanwhile would be deducted from
   * the reply.
   */
  isAsking(purse: Purse): boolean {
    return this.#awaited.has(purseKey(purse));
  }

  /** Resolves when requests have used the reply that is in flight or has just arrived. */
  async used(purse: Purse): Promise<void> {
    for (let round = 0; round < MAX_WAITS; round++) {
      if (this.isAsking(purse)) await this.#asking;
      await yieldToEventLoop();
      if (!this.isAsking(purse)) return;
    }
  }

  #awaitedOf(purse: Purse): Nanos {
    return this.#awaited.get(purseKey(purse)) ?? 0n;
  }

  #addAwaited(purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const sum = this.#awaitedOf(purse) + nanos;
    if (sum === 0n) this.#awaited.delete(key);
    else this.#awaited.set(key, sum);
  }
}
