import { Cancellation } from "../lib/async/cancellation.ts";
import { MIRROR_DROP_REASONS, type MirrorDropReason } from "../requests/drop-reasons.ts";
import type { MirrorResult } from "../requests/mirror-result.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { CircuitBreaker } from "./routing/health/circuit-breaker.ts";

/** The memory limit for sampled requests that wait for the end of their response, or whose mirror call is in flight. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** The most calls in flight at one mirror, per process: a mirror that hangs must not hold more. */
const MAX_IN_FLIGHT = 32;

/** The health of one mirror. It is separate from the health of routes, so that a mirror never ejects a route of callers. */
export interface MirrorState {
  readonly breaker: CircuitBreaker;
  inFlight: number;
}

/**
 * The mirrored requests of this process. A sampled request is sent to the mirror when the caller's response has ended. Nothing waits for
 * the copy, and it takes nothing from the caller's credit and limits. If the memory or the mirror has no room for it, it is dropped and
 * counted.
 */
export class Mirrors {
  readonly counts = { answered: 0, failed: 0 };
  readonly drops = Object.fromEntries(MIRROR_DROP_REASONS.map((reason) => [reason, 0])) as Record<MirrorDropReason, number>;
  readonly #record: (result: MirrorResult) => void;
  readonly #states = new WeakMap<Upstream, Map<string, MirrorState>>();
  readonly #stopped = new Cancellation();
  #heldBytes = 0;

  constructor(record: (result: MirrorResult) => void) {
    this.#record = record;
  }

  /** Cancelled when the process stops: mirror calls in flight are then cancelled, and are not recorded. */
  get stopped(): Cancellation {
    return this.#stopped;
  }

  /** Takes memory for a request. Returns false, and counts the request as dropped, if the memory limit is reached. */
  take(bytes: number): boolean {
    if (this.#heldBytes + bytes > MAX_HELD_BYTES) {
      this.drop("memory");
      return false;
    }
    this.#heldBytes += bytes;
    return true;
  }

  /** Releases the memory of a request that was mirrored or dropped. */
  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  drop(reason: MirrorDropReason): void {
    this.drops[reason]++;
  }

  record(result: MirrorResult): void {
    this.counts[result.detail === null ? "answered" : "failed"]++;
    this.#record(result);
  }

  /** The state of a mirror that can be called. Undefined if it cannot be called; the request is then counted as dropped. */
  stateOf(upstream: Upstream, upstreamModel: string): MirrorState | undefined {
    const state = this.#find(upstream, upstreamModel);
    if (state.inFlight >= MAX_IN_FLIGHT) this.drop("in_flight");
    else if (state.breaker.state === "ejected") this.drop("ejected");
    else return state;
    return undefined;
  }

  close(): void {
    this.#stopped.end();
  }

  #find(upstream: Upstream, upstreamModel: string): MirrorState {
    let states = this.#states.get(upstream);
    if (!states) this.#states.set(upstream, (states = new Map<string, MirrorState>()));
    let state = states.get(upstreamModel);
    if (!state) states.set(upstreamModel, (state = { breaker: new CircuitBreaker(() => performance.now()), inFlight: 0 }));
    return state;
  }
}
