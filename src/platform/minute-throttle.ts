import { ApiError } from "../requests/api-error.ts";

const WINDOW_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Rejects callers that exceed a number of calls per minute, measured by a monotonic clock. Its memory is fixed, and a restart clears it.
 */
export class MinuteThrottle {
  readonly #allowed: number;
  readonly #refusal: string;
  readonly #counts = new Map<string, { readonly sinceMs: number; count: number }>();

  /** `refusal` is the error message for rejected callers. */
  constructor(allowed: number, refusal: string) {
    this.#allowed = allowed;
    this.#refusal = refusal;
  }

  /** Counts one call. Throws when the limit is exceeded. */
  count(who: string, nowMs: number): void {
    const known = this.#counts.get(who);
    const counted = known && nowMs - known.sinceMs < WINDOW_MS ? known : { sinceMs: nowMs, count: 0 };
    counted.count++;
    if (counted !== known) this.#remember(who, counted);
    if (counted.count <= this.#allowed) return;
    const retryAfterSeconds = (counted.sinceMs + WINDOW_MS - nowMs) / 1000;
    throw new ApiError("too_many_attempts", this.#refusal, { retryAfterSeconds });
  }

  #remember(who: string, counted: { sinceMs: number; count: number }): void {
    this.#counts.delete(who);
    this.#counts.set(who, counted);
    if (this.#counts.size > MAX_REMEMBERED) this.#counts.delete(this.#counts.keys().next().value!);
  }
}
