import type { RateLimits } from "../../money/limits.ts";
import { Counters } from "./counters.ts";
import { type GrantMessage, toLimits } from "./limit-messages.ts";
import type { ScopeName } from "./limit-store.ts";

/** The requests that this process has admitted in one scope. */
export class OwnCounters extends Counters {
  readonly scope: ScopeName;
  /** The slice that they were admitted from. Undefined if the authority counts the requests, or will count them when it receives them. */
  slice: Slice | undefined;

  constructor(scope: ScopeName) {
    super();
    this.scope = scope;
  }
}

/** The part of a scope's limits that this process may use in any minute without asking. */
export class Slice {
  readonly lease: number;
  readonly counters: OwnCounters;
  /** The limits of the scope, from which the slice was cut. */
  readonly #whole: RateLimits;
  #slice: RateLimits;
  /** Whether anything was admitted from it since the last report. */
  isUsed = false;

  constructor([lease, kind, id, whole, slice]: GrantMessage) {
    this.lease = lease;
    this.counters = new OwnCounters({ kind, id });
    this.counters.slice = this;
    this.#whole = toLimits(whole);
    this.#slice = toLimits(slice);
  }

  widen([, , , , slice]: GrantMessage): void {
    this.#slice = toLimits(slice);
  }

  /** Whether the limits of the scope are still the limits from which the slice was cut. */
  isOf({ requestsPerMinute, tokensPerMinute, concurrentRequests }: RateLimits): boolean {
    const whole = this.#whole;
    return (
      requestsPerMinute === whole.requestsPerMinute &&
      tokensPerMinute === whole.tokensPerMinute &&
      concurrentRequests === whole.concurrentRequests
    );
  }

  fits(tokens: number, nowMs: number): boolean {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.#slice;
    const { counters } = this;
    return (
      (requestsPerMinute === null || counters.requests.used(nowMs) < requestsPerMinute) &&
      (tokensPerMinute === null || counters.tokens.used(nowMs) + tokens <= tokensPerMinute) &&
      (concurrentRequests === null || counters.concurrent < concurrentRequests)
    );
  }

  /** Whether requests have used more than their estimates, and more than the slice: then the authority does not know the full usage. */
  isExceeded(nowMs: number): boolean {
    const { tokensPerMinute } = this.#slice;
    return tokensPerMinute !== null && this.counters.tokens.used(nowMs) > tokensPerMinute;
  }
}
