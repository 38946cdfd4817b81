import { GatewayError } from "../vocabulary/gateway-error.ts";
import { networkOf } from "./network-of.ts";

const WINDOW_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Refuses an address that has missed too often within a minute. It remembers in a fixed amount of memory; a restart forgets. */
export class AddressThrottle {
  readonly #allowed: number;
  readonly #misses = new Map<string, { readonly sinceMs: number; count: number }>();

  constructor(allowedInAMinute: number) {
    this.#allowed = allowedInAMinute;
  }

  /** Counts a miss. Throws from the first one on that is too many. */
  countMiss(address: string | null, nowMs: number): void {
    const network = networkOf(address);
    const known = this.#misses.get(network);
    const misses = known && nowMs - known.sinceMs < WINDOW_MS ? known : { sinceMs: nowMs, count: 0 };
    misses.count++;
    if (misses !== known) this.#remember(network, misses);
    if (misses.count <= this.#allowed) return;
    const retryAfterSeconds = (misses.sinceMs + WINDOW_MS - nowMs) / 1000;
    throw new GatewayError("too_many_attempts", "Too many attempts came from this address. Try again in a minute.", { retryAfterSeconds });
  }

  #remember(network: string, misses: { sinceMs: number; count: number }): void {
    this.#misses.delete(network);
    this.#misses.set(network, misses);
    if (this.#misses.size > MAX_REMEMBERED) this.#misses.delete(this.#misses.keys().next().value!);
  }
}
