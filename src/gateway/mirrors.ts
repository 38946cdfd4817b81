import { Cancellation } from "../lib/async/cancellation.ts";
import { MIRROR_DROP_REASONS, type MirrorDropReason } from "../requests/drop-reasons.ts";
import type { MirrorResult } from "../requests/mirror-result.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { CircuitBreaker } from "./routing/health/circuit-breaker.ts";

/** The memory of the requests that wait for the end of their response, or whose mirror is in flight. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Calls in flight at one mirror, per process: one that hangs must not hold more. */
const MAX_IN_FLIGHT = 32;

/** What the calls to one mirror have shown: of its own, so that they never eject a route of callers. */
export interface MirrorState {
  readonly breaker: CircuitBreaker;
  inFlight: number;
}

/**
 * The mirrored requests of this process. A sampled request is sent to the mirror when the caller's response has ended. Nothing waits for it: it
 * takes nothing from the caller's credit and limits, and where there is no room for it, it is dropped and counted.
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

  /** Ends when the process stops: mirrors in flight are cancelled, and are not recorded. */
  get stopped(): Cancellation {
    return this.#stopped;
  }

  /** Takes memory for a request. Otherwise, the request is dropped. */
  take(bytes: number): boolean {
    if (this.#heldBytes + bytes > MAX_HELD_BYTES) {
      this.drop("memory");
      return false;
    }
    this.#heldBytes += bytes;
    return true;
  }

  /** The request was mirrored or dropped. */
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

  /** The state of a mirror that can be called. Otherwise, the request is dropped. */
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
