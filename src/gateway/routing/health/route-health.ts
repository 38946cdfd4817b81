import type { RouteState } from "../../../models/upstream-health.ts";
import { CircuitBreaker, type CircuitChange, type RouteCall } from "./circuit-breaker.ts";

/** How fast a slow response is forgotten. */
const LATENCY_DECAY_MS = 10_000;

/** How fast failures are forgotten in load balancing, and thus how soon a route that fails too rarely to be ejected gets calls again. */
const FAILURE_DECAY_MS = 2_000;

/** The number of successful calls that is assumed in advance, so that one failed call is not a failure rate of 100 %. */
const ASSUMED_SUCCESSES = 2;

/** A client that disconnects after this long counts as a failure of the route. A client that disconnects earlier may have any reason. */
const LONG_WAIT_MS = 30_000;

/** The health of one model at one upstream: calls in flight, latency, failure rate, and the circuit breaker. */
export class RouteHealth {
  readonly #nowMs: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #calls: DecayingCount;
  readonly #failures: DecayingCount;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #latencyAtMs = 0;
  #lastLatencyMs: number | undefined;
  /** Whether a call started after the last response. */
  #isAwaited = false;

  /** `nowMs` is the monotonic clock. `onChange` is called for changes that the calls of this process reveal. */
  constructor(nowMs: () => number, onChange?: (change: CircuitChange) => void) {
    this.#nowMs = nowMs;
    this.#breaker = new CircuitBreaker(nowMs, onChange);
    this.#calls = new DecayingCount(FAILURE_DECAY_MS, nowMs);
    this.#failures = new DecayingCount(FAILURE_DECAY_MS, nowMs);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get state(): RouteState {
    return this.#breaker.state;
  }

  /** The state for the requests of an account. */
  stateFor(account: string | undefined): RouteState {
    return this.#breaker.stateFor(account);
  }

  get probeDueInMs(): number {
    return this.#breaker.probeDueInMs;
  }

  /**
   * Time to first byte, as a peak-sensitive moving average that decays with time, so that a slow route gets calls again. It does not decay
   * while a call waits for its response: a route that hangs would otherwise look faster and faster. Undefined before the first response.
   */
  get latencyMs(): number | undefined {
    if (this.#latencyMs === undefined) return undefined;
    const isOnTrial = this.#isAwaited && this.#inFlight > 0;
    return isOnTrial ? this.#latencyMs : this.#latencyMs * decay(this.#nowMs() - this.#latencyAtMs, LATENCY_DECAY_MS);
  }

  /** Time to first byte of the last response, for operators: the moving average decays and says nothing about an idle route. */
  get lastLatencyMs(): number | undefined {
    return this.#lastLatencyMs;
  }

  /** The fraction of recent calls that failed. */
  get failureRate(): number {
    return this.#failures.value / (this.#calls.value + ASSUMED_SUCCESSES);
  }

  get recent(): { readonly calls: number; readonly failures: number } {
    return this.#breaker.recent;
  }

  begin(account?: string): RouteCall {
    this.#inFlight++;
    this.#isAwaited = true;
    return this.#breaker.begin(account);
  }

  /** The response has started, which closes the circuit. Whether it stays closed depends on how the response ends. */
  responded(call: RouteCall, latencyMs: number): void {
    this.#lastLatencyMs = latencyMs;
    if (this.#breaker.isStale(call)) return;
    this.#recover();
    this.#observe(latencyMs);
  }

  /** The response was complete. */
  succeeded(call: RouteCall): void {
    this.#inFlight--;
    if (this.#breaker.isStale(call)) return;
    this.#recover();
    this.#calls.add(1);
    this.#breaker.succeeded();
  }

  failed(call: RouteCall, latencyMs: number): void {
    this.#inFlight--;
    if (this.#breaker.isStale(call)) return;
    this.#isAwaited = false;
    // A fast failure says nothing about latency.
    if (this.#latencyMs !== undefined && latencyMs > this.#latencyMs) this.#observe(latencyMs);
    this.#calls.add(1);
    this.#failures.add(1);
    this.#breaker.failed(call);
  }

  /** The upstream rejected the request or the credential, which says nothing about its health. */
  rejected(call: RouteCall): void {
    this.#inFlight--;
    this.#breaker.rejected(call);
  }

  /** The client did not wait for the response. */
  abandoned(call: RouteCall, waitedMs: number): void {
    this.#inFlight--;
    if (this.#breaker.isStale(call)) return;
    // The latency is at least the time waited: a route that hangs gets fewer calls, even if clients have short timeouts.
    if (this.#latencyMs === undefined || waitedMs > this.#latencyMs) this.#observe(waitedMs);
    this.#breaker.abandoned(call, waitedMs >= LONG_WAIT_MS);
  }

  /** Peak-sensitive moving average: a slower response counts immediately, a faster one gradually. */
  #observe(latencyMs: number): void {
    const nowMs = this.#nowMs();
    const before = this.#latencyMs ?? latencyMs;
    const weight = latencyMs > before ? 0 : decay(Math.max(nowMs - this.#latencyAtMs, 1), LATENCY_DECAY_MS);
    this.#latencyMs = before * weight + latencyMs * (1 - weight);
    this.#latencyAtMs = nowMs;
    this.#isAwaited = false;
  }

  /** Applies a change that calls of another process have revealed. */
  follow(change: CircuitChange): void {
    if (this.#breaker.follow(change)) this.#forget();
  }

  #recover(): void {
    if (this.#breaker.close()) this.#forget();
  }

  /** Clears the history of a recovered route: old failures would keep calls away from it. */
  #forget(): void {
    this.#latencyMs = undefined;
    this.#calls.clear();
    this.#failures.clear();
  }
}

/** The fraction that remains after exponential decay. */
function decay(elapsedMs: number, scaleMs: number): number {
  return Math.exp(-elapsedMs / scaleMs);
}

/** A count with exponential decay: older additions count less. */
class DecayingCount {
  readonly #scaleMs: number;
  readonly #nowMs: () => number;
  #value = 0;
  #atMs = 0;

  constructor(scaleMs: number, nowMs: () => number) {
    this.#scaleMs = scaleMs;
    this.#nowMs = nowMs;
  }

  get value(): number {
    return this.#value * decay(this.#nowMs() - this.#atMs, this.#scaleMs);
  }

  add(count: number): void {
    this.#value = this.value + count;
    this.#atMs = this.#nowMs();
  }

  clear(): void {
    this.#value = 0;
  }
}
