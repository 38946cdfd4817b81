import { CallerGone } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Timeouts } from "../vocabulary/upstream-settings.ts";
import type { Reachability } from "./reachability.ts";

/** fetch's words for "there was no connection": nothing was sent, so nothing was done there. */
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/** The timeouts of one exchange and the caller's leaving: whichever comes first ends it, and says why. */
export class Deadlines {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #connectMs: number;
  readonly #total: Timer;
  readonly #callerGone = (): void => this.abort(new CallerGone());
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

  /** Ends the exchange if nobody takes a connection there in time. */
  async watchConnection(reachability: Reachability): Promise<void> {
    this.#isConnecting = true;
    const isReached = await reachability.isReached(this.#connectMs);
    if (!isReached && this.#isConnecting) this.abort(unreachable(`waited ${this.#connectMs} ms for the connection`));
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
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    if (NOT_CONNECTED.has(code)) return unreachable(detail);
    return new GatewayError("upstream_error", "The connection to the upstream broke.", { detail });
  }
}

/** Nothing was sent, so nothing was done there, and another try is safe. */
function unreachable(detail: string): GatewayError {
  return new GatewayError("no_upstream_available", "The upstream cannot be reached at the moment. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
  });
}

function tooSlow(what: string, ms: number): GatewayError {
  return new GatewayError("upstream_timeout", "The upstream took too long to answer.", { detail: `waited ${ms} ms for ${what}` });
}
