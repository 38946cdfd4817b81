import { reasonOf } from "../../requests/cancellation-reason.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Timeouts } from "../../models/timeouts.ts";
import { describeConnectionError, tunnelFailed, unreachable } from "./unreachable.ts";
import type { ExchangeWatch } from "../../lib/http1/client/exchange.ts";
import { NotConnected } from "../../lib/http1/client/connection-error.ts";
import { TunnelFailed } from "../../lib/http1/client/dial.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** The timeouts of one exchange and the client's disconnect: the first of them ends it with its reason. */
export class Deadlines implements DeadlineHolder, ExchangeWatch {
  readonly #caller: CancelSignal;
  readonly #timeouts: Timeouts;
  readonly #totalAtMs: number;
  readonly #openedAtMs = performance.now();
  #connectAtMs = NEVER;
  #stepAtMs = NEVER;
  #stepMs = 0;
  #step = "";
  #via: string | undefined;
  #reason: Error | undefined;
  #nextAtMs: number;
  /** The operation to cancel when a deadline passes or the client disconnects. */
  guarded: { abort(reason: Error): void } | undefined;

  constructor(caller: CancelSignal, timeouts: Timeouts, startedAtMs?: number) {
    this.#caller = caller;
    this.#timeouts = timeouts;
    this.#totalAtMs = (startedAtMs ?? this.#openedAtMs) + timeouts.totalMs;
    this.#nextAtMs = this.#totalAtMs;
    if (caller.aborted) this.#reason = reasonOf(caller);
    else watch(this);
  }

  /** The duration of the exchange so far. */
  get elapsedMs(): number {
    return performance.now() - this.#openedAtMs;
  }

  /** Throws if a deadline has passed or the client has disconnected. */
  requireTime(): void {
    if (this.#reason) throw this.#reason;
  }

  /**
   * Waits for a connection. A connection that arrives after the deadline is passed to `late`. `via` names the proxy or tunnel through which
   * it is made.
   */
  waitFor<Result>(connection: Promise<Result>, late: (result: Result) => void, via?: string): Promise<Result> {
    this.#via = via;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#connectAtMs = performance.now() + this.#timeouts.connectMs;
    this.#updateNext();
    this.guarded = { abort: reject };
    connection.then((made) => {
      if (this.#reason) return late(made);
      this.#connectAtMs = NEVER;
      this.#updateNext();
      return resolve(made);
    }, reject);
    return promise;
  }

  /** Waits for a shared operation, which continues for the other waiters if this call ends first. */
  async waitForShared<Result>(shared: Promise<Result>): Promise<Result> {
    this.requireTime();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.guarded = { abort: reject };
    shared.then(resolve, reject);
    return promise;
  }

  expect(what: string, ms: number, sinceMs = performance.now()): void {
    this.#step = what;
    this.#stepMs = ms;
    this.#stepAtMs = sinceMs + ms;
    this.#updateNext();
  }

  get isExpecting(): boolean {
    return this.#stepAtMs !== NEVER;
  }

  /** The expected data has arrived. No step deadline applies until the next `expect`. */
  progressed(): void {
    this.#stepAtMs = NEVER;
    this.#updateNext();
  }

  #updateNext(): void {
    this.#nextAtMs = Math.min(this.#totalAtMs, this.#stepAtMs, this.#connectAtMs);
  }

  look(nowMs: number): void {
    if (this.#caller.aborted) this.abort(reasonOf(this.#caller));
    else if (this.#nextAtMs <= nowMs) this.#passed();
  }

  #passed(): void {
    if (this.#nextAtMs === this.#totalAtMs) this.abort(tooSlow("the whole response", this.#timeouts.totalMs));
    else if (this.#nextAtMs === this.#stepAtMs) this.abort(tooSlow(this.#step, this.#stepMs));
    else {
      const through = this.#via === undefined ? "" : ` through ${this.#via}`;
      this.abort(unreachable(`waited ${this.#timeouts.connectMs} ms for the connection${through}`));
    }
  }

  stop(): void {
    unwatch(this);
  }

  abort(reason: Error): void {
    this.stop();
    if (this.#reason) return;
    this.#reason = reason;
    this.guarded?.abort(reason);
  }

  /** The error to throw for a connection error: the reason of our own cancellation, if there was one. */
  explain(thrown: unknown): Error {
    this.stop();
    if (this.#reason) return this.#reason;
    if (thrown instanceof ApiError) return thrown;
    if (thrown instanceof TunnelFailed) return tunnelFailed(thrown);
    const detail = describeConnectionError(thrown);
    if (thrown instanceof NotConnected) return unreachable(detail);
    return new ApiError("upstream_error", "The connection to the upstream broke.", { detail, fault: { kind: "broken" } });
  }
}

function tooSlow(what: string, ms: number): ApiError {
  const detail = `waited ${ms} ms for ${what}`;
  return new ApiError("upstream_timeout", "The upstream took too long to answer.", { detail, fault: { kind: "slow" } });
}

/** Something with a deadline, checked at each tick. */
interface DeadlineHolder {
  look(nowMs: number): void;
}

/** The most by which a passed deadline or a disconnected client is noticed late. Never early. */
const TICK_MS = 25;

const timed = new Set<DeadlineHolder>();
let ticking: Timer | undefined;

/**
 * One timer for all calls in flight. Setting, moving or clearing a deadline only writes a number, and calls do not need their own timers or
 * abort listeners.
 */
function watch(each: DeadlineHolder): void {
  timed.add(each);
  ticking ??= setInterval(tick, TICK_MS);
}

function unwatch(each: DeadlineHolder): void {
  timed.delete(each);
}

function tick(): void {
  const nowMs = performance.now();
  for (const each of timed) each.look(nowMs);
  if (timed.size > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}
