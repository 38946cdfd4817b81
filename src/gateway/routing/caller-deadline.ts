import { GatewayError } from "../../requests/gateway-error.ts";
import type { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";

/** How long a caller is willing to wait for the beginning of its answer; undefined where it does not say. */
export function readTimeout(headers: HeaderFields): number | undefined {
  const text = headers.get("x-timeout-ms");
  if (text === null) return undefined;
  const ms = Number(text);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new GatewayError("invalid_value", "The header x-timeout-ms must be a number of milliseconds such as 30000.", {
    param: "x-timeout-ms",
  });
}

/**
 * After how long the official clients hang up by themselves, if nothing has come until then. What is under way goes on as long as
 * they are there, because what keeps them alive makes them wait longer; but nothing new is begun for them.
 */
export function readClientTimeout(headers: HeaderFields): number {
  const seconds = Number(headers.get("x-stainless-timeout") ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY;
}

/** The caller said how long it would wait, and that time is over. To whoever pays it is as if the caller had left. */
export class DeadlineExceeded extends GatewayError {
  constructor(patienceMs: number) {
    super("upstream_timeout", "The answer did not come in the time that the caller allows for it.", {
      detail: `the caller allows ${patienceMs} ms`,
    });
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A signal that ends with the caller, or with its patience: then its reason is what the caller is told. */
export class CallerDeadline {
  readonly signal: CancelSignal;
  readonly #patienceMs: number | undefined;
  readonly #sinceMs: number;
  readonly #headers: HeaderFields | undefined;
  #timer: Timer | undefined;

  /** `sinceMs` is when the caller began to wait, by `performance.now()`; `headers` may say after how long it hangs up by itself. */
  constructor(caller: CancelSignal, patienceMs: number | undefined, sinceMs: number, headers?: HeaderFields) {
    this.#patienceMs = patienceMs;
    this.#sinceMs = sinceMs;
    this.#headers = headers;
    this.signal = patienceMs === undefined ? caller : this.#endingAfter(patienceMs, caller);
  }

  #endingAfter(patienceMs: number, caller: CancelSignal): CancelSignal {
    const ending = cancelledWith(caller);
    const end = (): void => ending.end(new DeadlineExceeded(patienceMs));
    if (this.leftMs <= 0) end();
    else this.#timer = setTimeout(end, Math.min(this.leftMs, LONGEST_TIMER_MS));
    return ending;
  }

  /** How much time is left for another try. Asked for by those alone who have failed once: most requests never do. */
  get leftMs(): number {
    const allowedMs = this.#patienceMs ?? (this.#headers ? readClientTimeout(this.#headers) : Number.POSITIVE_INFINITY);
    return this.#sinceMs + allowedMs - performance.now();
  }

  /** The answer has begun: from here on the caller sees for itself whether it goes on. */
  met(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * The reply, or the refusal of a caller who waits no longer. An answer that is kept for the caller's next try is made to its end all
 * the same.
 */
export async function withinDeadline(replying: Promise<Reply>, patienceMs: number | undefined, sinceMs: number): Promise<Reply> {
  if (patienceMs === undefined) return replying;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DeadlineExceeded(patienceMs)),
    Math.min(patienceMs - (performance.now() - sinceMs), LONGEST_TIMER_MS),
  );
  try {
    return await Promise.race([replying, late]);
  } catch (error) {
    // Whoever reads it no more leaves it to be read to the end.
    if (error instanceof DeadlineExceeded) void replying.then((reply) => reply.cancel()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
