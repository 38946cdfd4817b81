import { reasonOf } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Timeouts } from "../vocabulary/upstream-settings.ts";
import { describeTrouble, isNotConnected, unreachable } from "./unreachable.ts";

/** The timeouts of one exchange and the caller's leaving: whichever comes first ends it, and says why. */
export class Deadlines {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #connectMs: number;
  readonly #total: Timer;
  readonly #callerGone = (): void => this.abort(reasonOf(this.#caller));
  #step: Timer | undefined;
  #isConnecting = false;
  #reason: Error | undefined;

  constructor(caller: AbortSignal, timeouts: Timeouts) {
    this.#caller = caller;
    this.#connectMs = timeouts.connectMs;
    this.#total = setTimeout(() => this.abort(tooSlow("the whole answer", timeouts.totalMs)), timeouts.totalMs);
    if (caller.aborted) this.#callerGone();
    else caller.addEventListener("abort", this.#callerGone);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for a step that must be done before there is a connection, and that no signal ends. */
  async waitFor<Result>(step: Promise<Result>): Promise<Result> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(new Error("the exchange has ended"));
    const timer = setTimeout(() => this.abort(unreachable(`waited ${this.#connectMs} ms for the connection`)), this.#connectMs);
    if (this.signal.aborted) end();
    else this.signal.addEventListener("abort", end);
    try {
      return await Promise.race([step, ended]);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", end);
    }
  }

  /** Ends the exchange if the attempt to connect fails before there is a connection. */
  async watchConnection(attempt: Promise<unknown>): Promise<void> {
    this.#isConnecting = true;
    try {
      await attempt;
    } catch (error) {
      if (this.#isConnecting) this.abort(error as Error);
    }
  }

  expect(what: string, ms: number): void {
    clearTimeout(this.#step);
    this.#step = setTimeout(() => this.abort(tooSlow(what, ms)), ms);
  }

  get isExpecting(): boolean {
    return this.#step !== undefined;
  }

  /** What was expected has come; nothing further is, until the next `expect`. */
  met(): void {
    clearTimeout(this.#step);
    this.#step = undefined;
  }

  connected(): void {
    this.#isConnecting = false;
  }

  stop(): void {
    this.met();
    this.connected();
    clearTimeout(this.#total);
    this.#caller.removeEventListener("abort", this.#callerGone);
  }

  abort(reason: Error): void {
    this.stop();
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller.abort();
  }

  /** What to throw for an error of fetch: our own reason where we ended it, else what the connection's end means. */
  explain(thrown: unknown): Error {
    this.stop();
    if (this.#reason) return this.#reason;
    if (thrown instanceof GatewayError) return thrown;
    const detail = describeTrouble(thrown);
    if (isNotConnected(thrown)) return unreachable(detail);
    return new GatewayError("upstream_error", "The connection to the upstream broke.", { detail, fault: { kind: "broken" } });
  }
}

function tooSlow(what: string, ms: number): GatewayError {
  const detail = `waited ${ms} ms for ${what}`;
  return new GatewayError("upstream_timeout", "The upstream took too long to answer.", { detail, fault: { kind: "slow" } });
}
