import { ApiError } from "../../requests/api-error.ts";
import { READ_ON_MS, type DisconnectPolicy } from "../../requests/disconnect-policy.ts";
import type { ModelRequest } from "../formats/caller-format.ts";
import type { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";

/**
 * The client's timeout for the start of a response (`x-timeout-ms`, or `timeout` in seconds in the body); undefined if the client sets
 * none.
 */
export function readTimeout(headers: HeaderFields, { gatewayFields }: Pick<ModelRequest, "gatewayFields">): number | undefined {
  const text = headers.get("x-timeout-ms");
  if (text === null) return gatewayFields["timeout"] == null ? undefined : timeoutInBody(gatewayFields["timeout"]);
  const ms = Number(text);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new ApiError("invalid_value", "The header x-timeout-ms must be a number of milliseconds such as 30000.", {
    param: "x-timeout-ms",
  });
}

/** LiteLLM's clients send the timeout in the body. */
function timeoutInBody(seconds: unknown): number {
  if (typeof seconds === "number" && seconds > 0 && seconds < 1e9) return Math.ceil(seconds * 1000);
  throw new ApiError("invalid_value", "timeout must be a number of seconds such as 30.", { param: "timeout" });
}

/**
 * The time after which the official clients disconnect unless they have received something. An attempt in flight continues while the client
 * is connected, because keep-alive comments extend the client's wait; but no new attempt is started after this time.
 */
export function readClientTimeout(headers: HeaderFields): number {
  const seconds = Number(headers.get("x-stainless-timeout") ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY;
}

/** The client's timeout is exceeded. It is charged like a disconnect. */
export class DeadlineExceeded extends ApiError {
  constructor(timeoutMs: number) {
    super("upstream_timeout", "The response did not start within the timeout of the request: x-timeout-ms, or timeout in the body.", {
      detail: `timeout of the request: ${timeoutMs} ms`,
    });
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * `signal` is aborted when the client disconnects or its timeout is exceeded: no further call is made. The reason of the abort is the error
 * that the client receives. The deadline itself is the signal of the call in flight, which may go on after a disconnect, so that the
 * upstream counts what it bills.
 */
export class CallerDeadline implements CancelSignal {
  readonly signal: CancelSignal;
  readonly #timeoutMs: number | undefined;
  readonly #sinceMs: number;
  readonly #onDisconnect: () => DisconnectPolicy;
  #headers: HeaderFields | undefined;
  #timer: Timer | undefined;
  #goneAtMs: number | undefined;

  /** `sinceMs` is when the request started, by `performance.now()`; `headers` may have the client's own timeout. */
  constructor(caller: CancelSignal, timeoutMs: number | undefined, sinceMs: number, headers?: HeaderFields, onDisconnect = cancels) {
    this.#timeoutMs = timeoutMs;
    this.#sinceMs = sinceMs;
    this.#headers = headers;
    this.#onDisconnect = onDisconnect;
    this.signal = timeoutMs === undefined ? caller : this.#abortedAfter(timeoutMs, caller);
  }

  #abortedAfter(timeoutMs: number, caller: CancelSignal): CancelSignal {
    const cancellation = cancelledWith(caller);
    const end = (): void => cancellation.end(new DeadlineExceeded(timeoutMs));
    if (this.remainingMs <= 0) end();
    else this.#timer = setTimeout(end, Math.min(this.remainingMs, MAX_TIMER_MS));
    return cancellation;
  }

  /** Whether the call in flight must be cancelled. It is polled, so that requests do not need timers. */
  get aborted(): boolean {
    const { aborted, reason } = this.signal;
    if (!aborted || reason !== undefined || this.#onDisconnect() !== "read") return aborted;
    this.#goneAtMs ??= performance.now();
    return performance.now() - this.#goneAtMs >= READ_ON_MS;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  /** Only the built-in echo listens while it waits. Its wait is not cut short if the call goes on after a disconnect. */
  addEventListener(type: "abort", listener: () => void): void {
    if (this.#onDisconnect() !== "read") this.signal.addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    this.signal.removeEventListener(type, listener);
  }

  /** The time left for another attempt. Computed on demand: most requests never fail. */
  get remainingMs(): number {
    const allowedMs = this.#timeoutMs ?? (this.#headers ? readClientTimeout(this.#headers) : Number.POSITIVE_INFINITY);
    return this.#sinceMs + allowedMs - performance.now();
  }

  /** Disarms the deadline when the response has started: the timeout does not apply to the rest. */
  disarm(): void {
    clearTimeout(this.#timer);
    // A long stream retains its deadline, which must not retain the request's headers.
    this.#headers = undefined;
  }
}

function cancels(): DisconnectPolicy {
  return "cancel";
}

/** The reply, or `DeadlineExceeded`. A response under an idempotency key is still completed and stored. */
export async function withinDeadline(replying: Promise<Reply>, timeoutMs: number | undefined, sinceMs: number): Promise<Reply> {
  if (timeoutMs === undefined) return replying;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DeadlineExceeded(timeoutMs)),
    Math.min(timeoutMs - (performance.now() - sinceMs), MAX_TIMER_MS),
  );
  try {
    return await Promise.race([replying, late]);
  } catch (error) {
    // A cancelled stream under an idempotency key drains itself.
    if (error instanceof DeadlineExceeded) void replying.then((reply) => reply.cancel()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
