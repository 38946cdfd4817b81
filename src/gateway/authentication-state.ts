import type { KeyRecord } from "../access/api-key.ts";
import { ApiError } from "../requests/api-error.ts";
import { networkOf } from "../lib/net/network-of.ts";

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;
const MAX_NETWORKS = 10_000;

/**
 * Limits how many imported keys an IP address can try. Another gateway may have issued short keys, or let users choose them. Keys that
 * Tollgate issues cannot be guessed, and are not counted.
 */
export class GuessThrottle {
  readonly #monotonicMs: () => number;
  readonly #failures = new Map<string, { readonly sinceMs: number; count: number }>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Throws if the address is known and has sent too many invalid keys in the last minute. */
  refuse(address: string | null): void {
    const failures = address === null ? undefined : this.#failures.get(networkOf(address));
    if (!failures || failures.count < MAX_FAILURES) return;
    const leftMs = failures.sinceMs + WINDOW_MS - this.#monotonicMs();
    if (leftMs <= 0) return;
    const message = "Too many requests from this address had a key that is not valid. Please try again in a minute.";
    throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: Math.ceil(leftMs / 1000) });
  }

  noteFailure(address: string | null): void {
    if (address === null) return;
    const network = networkOf(address);
    const nowMs = this.#monotonicMs();
    const known = this.#failures.get(network);
    if (known && nowMs - known.sinceMs < WINDOW_MS) return void known.count++;
    this.#failures.delete(network);
    this.#failures.set(network, { sinceMs: nowMs, count: 1 });
    if (this.#failures.size > MAX_NETWORKS) this.#failures.delete(this.#failures.keys().next().value!);
  }
}

/** The cache is emptied when it is full. */
const MAX_ENTRIES = 4096;

/**
 * Authorization cache: the key record of each `Authorization` header that was valid before, so that a key is not hashed again for every
 * request. An entry is valid only while the store still has the same record object: rotating, changing or revoking a key replaces it.
 */
export class AuthorizationCache {
  readonly #records = new Map<string, KeyRecord>();

  find(authorization: string): KeyRecord | undefined {
    return this.#records.get(authorization);
  }

  note(authorization: string, record: KeyRecord): void {
    if (this.#records.size >= MAX_ENTRIES) this.#records.clear();
    this.#records.set(authorization, record);
  }
}
