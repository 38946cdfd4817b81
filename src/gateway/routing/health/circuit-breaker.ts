import type { RouteState } from "../../../models/upstream-health.ts";

/** Consecutive failures that eject a route. */
const MAX_CONSECUTIVE_FAILURES = 5;

/** Size of the window of recent calls; a route is also ejected when half of them fail. */
const RECENT_CALLS = 20;

/** The first ejection. Each failed probe doubles it. */
const FIRST_EJECTION_MS = 5_000;
const MAX_EJECTION_MS = 300_000;

/** The delay before processes other than the ejecting process may probe a route: one probe is enough. */
const FOLLOWER_DELAY_MS = 250;

/** How long this process waits with its probe while another process probes the route. */
const PROBE_WAIT_MS = 5_000;

/** A call in flight. It ends once, by `succeeded`, `failed`, `rejected` or `abandoned`. */
export interface RouteCall {
  /** The number of ejections when the call started: a call from before an ejection says nothing about the recovery. */
  readonly ejections: number;
  readonly account: string | undefined;
}

/** What a call has revealed about its route. Other processes that call the route follow the change. */
export type CircuitChange =
  | {
      readonly kind: "ejected";
      readonly forMs: number;
      /** Failures since the last success. */ readonly consecutive: number;
      readonly account?: string | undefined;
    }
  | { readonly kind: "probing" | "closed" };

/**
 * Circuit breaker of a route. A route that keeps failing is ejected (state `ejected`: the circuit is open). When the ejection ends, one
 * call probes it (state `probing`: half-open). If the probe succeeds, the circuit closes (state `healthy`); if it fails, the route is
 * ejected for twice as long.
 *
 * If only the calls of one account have failed, its requests may be the reason: the route is ejected for that account only, and for all
 * accounts once a call of another account fails, too.
 */
export class CircuitBreaker {
  readonly #nowMs: () => number;
  readonly #onChange: ((change: CircuitChange) => void) | undefined;
  #isEjected = false;
  #ejectedUntilMs = 0;
  #ejections = 0;
  /** Ejections since the last success. */
  #consecutiveEjections = 0;
  #probe: RouteCall | undefined;
  #consecutiveFailures = 0;
  /** The recent calls, the newest in the lowest bit: a bit is set for a failure. */
  #recentFailures = 0;
  #recentCalls = 0;
  /** The accounts of the consecutive and of the recent failures. */
  readonly #ofConsecutive = new FailedAccounts();
  readonly #ofRecent = new FailedAccounts();
  /** The only account for which the route is ejected; undefined if it is ejected for all accounts. */
  #onlyFor: string | undefined;

  constructor(nowMs: () => number, onChange?: (change: CircuitChange) => void) {
    this.#nowMs = nowMs;
    this.#onChange = onChange;
  }

  get state(): RouteState {
    if (!this.#isEjected) return "healthy";
    return this.#probe || this.#nowMs() < this.#ejectedUntilMs ? "ejected" : "probing";
  }

  /** The state for the requests of an account. */
  stateFor(account: string | undefined): RouteState {
    return this.#onlyFor !== undefined && this.#onlyFor !== account ? "healthy" : this.state;
  }

  /** The time until an ejected route is probed; 0 for a route in use. */
  get probeDueInMs(): number {
    return this.#isEjected ? Math.max(0, this.#ejectedUntilMs - this.#nowMs()) : 0;
  }

  get recent(): { readonly calls: number; readonly failures: number } {
    return { calls: this.#recentCalls, failures: countBits(this.#recentFailures) };
  }

  begin(account?: string): RouteCall {
    const call = { ejections: this.#ejections, account };
    if (this.#isEjected && this.stateFor(account) === "probing") {
      this.#probe = call;
      this.#onChange?.({ kind: "probing" });
    }
    return call;
  }

  /** Whether the call started before the last ejection. */
  isStale({ ejections }: RouteCall): boolean {
    return ejections !== this.#ejections;
  }

  /** Closes the circuit after a successful call. Returns whether it was open. */
  close(): boolean {
    if (!this.#isEjected) return false;
    this.#closeCircuit();
    this.#onChange?.({ kind: "closed" });
    return true;
  }

  /**
   * Applies a change from another process. Returns whether it closed the circuit. Another process's ejection never shortens an ejection in
   * force.
   */
  follow(change: CircuitChange): boolean {
    const isOpen = this.#isEjected;
    if (change.kind === "ejected") this.#followEjection(change.forMs, change.consecutive, change.account);
    else if (isOpen && change.kind === "closed") this.#closeCircuit();
    else if (isOpen) this.#waitAtLeast(PROBE_WAIT_MS);
    return isOpen && !this.#isEjected;
  }

  #closeCircuit(): void {
    this.#isEjected = false;
    this.#onlyFor = undefined;
    this.#ofRecent.clear();
    this.#probe = undefined;
    this.#recentCalls = 0;
    this.#recentFailures = 0;
  }

  #followEjection(forMs: number, consecutive: number, account: string | undefined): void {
    if (!this.#isEjected) this.#ejectedUntilMs = 0;
    this.#waitAtLeast(forMs + FOLLOWER_DELAY_MS);
    // A probe of this process decides on its own: if it fails, the failure is counted at that point.
    if (this.#probe) return;
    this.#onlyFor = this.#isEjected && this.#onlyFor !== account ? undefined : account;
    this.#isEjected = true;
    this.#ejections++;
    this.#consecutiveEjections = Math.max(this.#consecutiveEjections, consecutive);
    this.#consecutiveFailures = MAX_CONSECUTIVE_FAILURES;
  }

  #waitAtLeast(ms: number): void {
    this.#ejectedUntilMs = Math.max(this.#ejectedUntilMs, this.#nowMs() + ms);
  }

  succeeded(): void {
    this.#note(0);
    this.#consecutiveFailures = 0;
    this.#consecutiveEjections = 0;
    this.#ofConsecutive.clear();
  }

  failed(call: RouteCall): void {
    this.#note(1);
    this.#ofRecent.note(call.account);
    this.#consecutiveFailures++;
    this.#ofConsecutive.note(call.account);
    if (this.#isEjected ? call === this.#probe || this.#isConfirmedBy(call) : this.#isOutlier()) this.#eject();
  }

  /** Whether the failed call is from an account for which the route was not ejected. */
  #isConfirmedBy({ account }: RouteCall): boolean {
    return this.#onlyFor !== undefined && this.#onlyFor !== account;
  }

  /** Notes a call that says nothing about the health of the route. Another call probes the route. */
  rejected(call: RouteCall): void {
    if (call === this.#probe) this.#probe = undefined;
  }

  /**
   * Notes that the client did not wait for the response. An abandoned probe proved nothing, so the next probe waits for another ejection
   * period.
   */
  abandoned(call: RouteCall, countsAsFailure: boolean): void {
    if (call === this.#probe) this.#extend();
    if (!countsAsFailure) return;
    this.#consecutiveFailures++;
    this.#ofConsecutive.note(call.account);
    if (!this.#isEjected && this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) this.#eject();
  }

  #note(failure: 0 | 1): void {
    this.#recentFailures = ((this.#recentFailures << 1) | failure) & ((1 << RECENT_CALLS) - 1);
    this.#recentCalls = Math.min(this.#recentCalls + 1, RECENT_CALLS);
    if (failure === 0 && this.#recentFailures === 0) this.#ofRecent.clear();
  }

  #isOutlier(): boolean {
    if (this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) return true;
    return this.#recentCalls === RECENT_CALLS && countBits(this.#recentFailures) * 2 >= RECENT_CALLS;
  }

  #eject(): void {
    const failedAccounts = this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES ? this.#ofConsecutive : this.#ofRecent;
    this.#onlyFor = !this.#isEjected || this.#onlyFor === failedAccounts.account ? failedAccounts.account : undefined;
    this.#isEjected = true;
    this.#ejections++;
    this.#consecutiveEjections++;
    this.#extend();
    // The first failure after the recovery ejects the route again.
    this.#consecutiveFailures = MAX_CONSECUTIVE_FAILURES;
  }

  #extend(): void {
    this.#probe = undefined;
    const forMs = Math.min(FIRST_EJECTION_MS * 2 ** (this.#consecutiveEjections - 1), MAX_EJECTION_MS);
    this.#ejectedUntilMs = this.#nowMs() + forMs;
    this.#onChange?.({ kind: "ejected", forMs, consecutive: this.#consecutiveEjections, account: this.#onlyFor });
  }
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The accounts whose calls have failed: none, exactly one, or several. A single account may have caused the failures with its requests. */
class FailedAccounts {
  #account: string | undefined;
  #isEmpty = true;

  /** Undefined for a call whose account is unknown, which counts as several. */
  note(account: string | undefined): void {
    this.#account = this.#isEmpty || this.#account === account ? account : undefined;
    this.#isEmpty = false;
  }

  clear(): void {
    this.#isEmpty = true;
    this.#account = undefined;
  }

  /** The account, if it is the only one. */
  get account(): string | undefined {
    return this.#account;
  }
}
