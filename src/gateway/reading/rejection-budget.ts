import type { Exchange } from "../../http/endpoint.ts";
import { networkOf } from "../../lib/net/network-of.ts";
import { ApiError } from "../../requests/api-error.ts";

/**
 * The CPU time that rejected requests may use in a burst (`ms`), and the fraction of a core that they may use in the long run (`share`).
 */
const OF_KEY = { ms: 2_000, share: 0.05 };
const OF_ADDRESS = { ms: 10_000, share: 0.25 };
/** The most CPU time that is counted for one request: the process may have served other requests in the meantime. */
const MAX_OF_REQUEST_MS = 1_000;
const MAX_REMEMBERED = 10_000;

interface UsedCpuTime {
  ms: number;
  atMs: number;
}

/**
 * The CPU time that rejected requests with large bodies may take, per key and per address. They are not charged and count against no rate
 * limit, and a body of 2 MB with 190,000 fields takes as much CPU time as a thousand small requests.
 */
export class RejectionBudget {
  readonly #monotonicMs: () => number;
  readonly #used = new Map<string, UsedCpuTime>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Throws if the rejected requests of a key, or of an address, have used up their CPU time. */
  refuse(keyId: string, sender: Pick<Exchange, "callerAddress">): void {
    if (this.#used.size === 0) return;
    const waitMs = Math.max(this.#waitMs(keyId, OF_KEY), this.#waitMs(nameOf(sender.callerAddress()), OF_ADDRESS));
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    const message = `Too many large requests that are not valid. Please try again in ${seconds}s.`;
    throw new ApiError("rate_limit_exceeded", message, {
      retryAfterSeconds: seconds,
      detail: "the CPU time of rejected requests is used up",
    });
  }

  /** Counts the CPU time of a rejected request. */
  charge(keyId: string, address: string | null, cpuMs: number): void {
    const ms = Math.min(cpuMs, MAX_OF_REQUEST_MS);
    this.#add(keyId, ms, OF_KEY.share);
    if (address !== null) this.#add(nameOf(address), ms, OF_ADDRESS.share);
  }

  #waitMs(name: string, { ms, share }: typeof OF_KEY): number {
    const used = this.#used.get(name);
    return used ? (this.#left(used, share) - ms) / share : 0;
  }

  #left({ ms, atMs }: UsedCpuTime, share: number): number {
    return Math.max(0, ms - (this.#monotonicMs() - atMs) * share);
  }

  #add(name: string, ms: number, share: number): void {
    const used = this.#used.get(name);
    this.#used.delete(name);
    this.#used.set(name, { ms: (used ? this.#left(used, share) : 0) + ms, atMs: this.#monotonicMs() });
    if (this.#used.size > MAX_REMEMBERED) this.#used.delete(this.#used.keys().next().value!);
  }
}

/** Key ids never contain a space, so the names of addresses cannot collide with them. */
function nameOf(address: string | null): string {
  return `address ${networkOf(address)}`;
}
