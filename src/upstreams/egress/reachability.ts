import type { Connection } from "../../lib/http1/client/connection.ts";
import { IDLE_SECONDS } from "../../lib/http1/client/connection-pool.ts";

/** How long after its last response or connection an upstream counts as reachable. */
const REACHABLE_FOR_MS = (IDLE_SECONDS + 10) * 1000;

/**
 * Tracks which of an upstream's addresses accepts connections. A connection attempt cannot be cancelled, and the system retries an
 * unresponsive address for minutes. So while an upstream is not known to be reachable, one call dials, and all others wait for it:
 * a thousand calls to a dead machine would otherwise open a thousand sockets.
 */
export class Reachability {
  #reachableAtMs = Number.NEGATIVE_INFINITY;
  #reachableAddress: string | undefined;
  #scout: Promise<void> | undefined;
  #ordered: { readonly from: readonly string[]; readonly addresses: readonly string[] } | undefined;

  /** A connection to this address succeeded, or the upstream has responded there. */
  markReachable(address: string): void {
    if (address !== this.#reachableAddress) this.#ordered = undefined;
    this.#reachableAddress = address;
    this.#reachableAtMs = performance.now();
  }

  markUnreachable(): void {
    this.#reachableAtMs = Number.NEGATIVE_INFINITY;
  }

  isReachable(address: string): boolean {
    return address === this.#reachableAddress && performance.now() - this.#reachableAtMs < REACHABLE_FOR_MS;
  }

  /** These addresses, with the last reachable one first: pooled connections lead there. */
  inOrder(addresses: readonly string[]): readonly string[] {
    const reachable = this.#reachableAddress;
    if (reachable === undefined || reachable === addresses[0] || !addresses.includes(reachable)) return addresses;
    if (this.#ordered?.from !== addresses) {
      this.#ordered = { from: addresses, addresses: [reachable, ...addresses.filter((address) => address !== reachable)] };
    }
    return this.#ordered.addresses;
  }

  /** Waits until one connection succeeds, which goes to the pool. No call waits longer than `withinMs` for the same attempt. */
  async scout(dial: () => Promise<Connection>, withinMs: number): Promise<void> {
    if (this.#scout) return this.#scout;
    const scout = this.#dialFirst(dial);
    this.#scout = scout;
    const over = (): void => {
      if (this.#scout === scout) this.#scout = undefined;
    };
    const timer = setTimeout(over, withinMs);
    try {
      await scout;
    } finally {
      clearTimeout(timer);
      over();
    }
  }

  async #dialFirst(dial: () => Promise<Connection>): Promise<void> {
    const connection = await dial();
    this.markReachable(connection.address);
    connection.release(Number.POSITIVE_INFINITY);
  }
}
