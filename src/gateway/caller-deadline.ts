import { GatewayError } from "../vocabulary/gateway-error.ts";

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

/** A signal that ends with the caller, or with its patience: then its reason is what the caller is told. */
export class CallerDeadline {
  readonly signal: AbortSignal;
  readonly #endsAtMs: number;
  readonly #timer: Timer | undefined;

  constructor(caller: AbortSignal, patienceMs: number | undefined) {
    this.#endsAtMs = patienceMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + patienceMs;
    if (patienceMs === undefined) {
      this.signal = caller;
      return;
    }
    const controller = new AbortController();
    this.#timer = setTimeout(() => controller.abort(tooLate(patienceMs)), Math.min(patienceMs, 2 ** 31 - 1));
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

function tooLate(ms: number): GatewayError {
  return new GatewayError("upstream_timeout", "The answer did not come in the time that the caller allows for it.", {
    detail: `the caller allows ${ms} ms`,
  });
}
