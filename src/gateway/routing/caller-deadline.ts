import { GatewayError } from "../../vocabulary/gateway-error.ts";

/** How long a caller is willing to wait for the beginning of its answer; undefined where it does not say. */
export function readPatience(headers: Headers): number | undefined {
  const own = headers.get("x-timeout-ms");
  if (own !== null) {
    const ms = Number(own);
    if (Number.isSafeInteger(ms) && ms > 0) return ms;
    throw new GatewayError("invalid_value", "The header x-timeout-ms must be a number of milliseconds such as 30000.", {
      param: "x-timeout-ms",
    });
  }
  // The official clients say, in seconds, when they will hang up: whatever is tried after that is for nobody.
  const seconds = Number(headers.get("x-stainless-timeout") ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** The caller said how long it would wait, and that time is over. To whoever pays it is as if the caller had left. */
export class OutOfPatience extends GatewayError {
  constructor(patienceMs: number) {
    super("upstream_timeout", "The answer did not come in the time that the caller allows for it.", {
      detail: `the caller allows ${patienceMs} ms`,
    });
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A signal that ends with the caller, or with its patience: then its reason is what the caller is told. */
export class CallerDeadline {
  readonly signal: AbortSignal;
  readonly #endsAtMs: number;
  readonly #timer: Timer | undefined;

  /** `sinceMs` is when the caller began to wait, by `performance.now()`. */
  constructor(caller: AbortSignal, patienceMs: number | undefined, sinceMs: number) {
    this.#endsAtMs = sinceMs + (patienceMs ?? Number.POSITIVE_INFINITY);
    if (patienceMs === undefined) {
      this.signal = caller;
      return;
    }
    const controller = new AbortController();
    const end = (): void => controller.abort(new OutOfPatience(patienceMs));
    if (this.leftMs <= 0) end();
    else this.#timer = setTimeout(end, Math.min(this.leftMs, LONGEST_TIMER_MS));
    this.signal = AbortSignal.any([caller, controller.signal]);
  }

  /** How much time is left. */
  get leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  /** The answer has begun: from here on the caller sees for itself whether it goes on. */
  met(): void {
    clearTimeout(this.#timer);
  }
}
