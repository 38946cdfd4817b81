import type { RouteState } from "../../../models/upstream-health.ts";

/** So many consecutive failures eject a route. */
const MAX_CONSECUTIVE_FAILURES = 5;

/** So does a failure of half of so many recent calls. */
const RECENT_CALLS = 20;

/** The first ejection. Each failed probe doubles it. */
const FIRST_EJECTION_MS = 5_000;
const LONGEST_EJECTION_MS = 300_000;

/** So much later than the process that ejected the route, the others may probe it: one probe is enough. */
const FOLLOWER_DELAY_MS = 250;

/** While another process probes a route, its next probe waits so long. */
const PROBE_WAIT_MS = 5_000;

/** A call in flight. It ends once, by `succeeded`, `failed`, `rejected` or `abandoned`. */
export interface RouteCall {
  /** The number of ejections when it started: a call from before an ejection says nothing about the recovery. */
  readonly ejections: number;
}

/** What a call has shown of its route: other processes that call it follow. */
export type CircuitChange =
  | { readonly kind: "ejected"; readonly forMs: number; /** Since the last success. */ readonly consecutive: number }
  | { readonly kind: "probing" | "closed" };

/**
 * Circuit breaker of a route. A route that keeps failing is ejected (state `ejected`: the circuit is open). When the ejection ends, one call
 * probes it (state `probing`: half-open). Its success closes the circuit (state `in`), its failure ejects the route for twice as long.
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

  constructor(nowMs: () => number, onChange?: (change: CircuitChange) => void) {
    this.#nowMs = nowMs;
    this.#onChange = onChange;
  }

  get state(): RouteState {
    if (!this.#isEjected) return "healthy";
    return this.#probe || this.#nowMs() < this.#ejectedUntilMs ? "ejected" : "probing";
  }

  /** The time until an ejected route is probed. 0 for one that is in use. */
  get dueInMs(): number {
    return this.#isEjected ? Math.max(0, this.#ejectedUntilMs - this.#nowMs()) : 0;
  }

  get recent(): { readonly calls: number; readonly failures: number } {
    return { calls: this.#recentCalls, failures: countBits(this.#recentFailures) };
  }

  begin(): RouteCall {
    const call = { ejections: this.#ejections };
    if (this.state === "probing") {
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

  /** Follows another process. Returns whether that has closed the circuit. An ejection in force is not shortened by another one. */
  follow(change: CircuitChange): boolean {
    const isOpen = this.#isEjected;
    if (change.kind === "ejected") this.#followEjection(change.forMs, change.consecutive);
    else if (isOpen && change.kind === "closed") this.#closeCircuit();
    else if (isOpen) this.#waitAtLeast(PROBE_WAIT_MS);
    return isOpen && !this.#isEjected;
  }

  #closeCircuit(): void {
    this.#isEjected = false;
    this.#probe = undefined;
    this.#recentCalls = 0;
    this.#recentFailures = 0;
  }

  #followEjection(forMs: number, consecutive: number): void {
    if (!this.#isEjected) this.#ejectedUntilMs = 0;
    this.#waitAtLeast(forMs + FOLLOWER_DELAY_MS);
    // A probe of this process decides by itself: its failure is counted then.
    if (this.#probe) return;
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
  }

  failed(call: RouteCall): void {
    this.#note(1);
    this.#consecutiveFailures++;
    if (this.#isEjected ? call === this.#probe : this.#isOutlier()) this.#eject();
  }

  /** The call says nothing about the health of the route: another one probes it. */
  rejected(call: RouteCall): void {
    if (call === this.#probe) this.#probe = undefined;
  }

  /** The client did not wait for the response. A probe proved nothing, so the next one waits for another ejection period. */
  abandoned(call: RouteCall, countsAsFailure: boolean): void {
    if (call === this.#probe) this.#extend();
    if (!countsAsFailure) return;
    this.#consecutiveFailures++;
    if (!this.#isEjected && this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) this.#eject();
  }

  #note(failure: 0 | 1): void {
    this.#recentFailures = ((this.#recentFailures << 1) | failure) & ((1 << RECENT_CALLS) - 1);
    this.#recentCalls = Math.min(this.#recentCalls + 1, RECENT_CALLS);
  }

  #isOutlier(): boolean {
    if (this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) return true;
    return this.#recentCalls === RECENT_CALLS && countBits(this.#recentFailures) * 2 >= RECENT_CALLS;
  }

  #eject(): void {
    this.#isEjected = true;
    this.#ejections++;
    this.#consecutiveEjections++;
    this.#extend();
    // The first failure after its recovery ejects it again.
    this.#consecutiveFailures = MAX_CONSECUTIVE_FAILURES;
  }

  #extend(): void {
    this.#probe = undefined;
    const forMs = Math.min(FIRST_EJECTION_MS * 2 ** (this.#consecutiveEjections - 1), LONGEST_EJECTION_MS);
    this.#ejectedUntilMs = this.#nowMs() + forMs;
    this.#onChange?.({ kind: "ejected", forMs, consecutive: this.#consecutiveEjections });
  }
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
