import type { Connection } from "../../lib/http1/client/connection.ts";
import { KEPT_FOR_SECONDS } from "../../lib/http1/client/place.ts";

/** For so long after its last sign of life an upstream is taken to be there. */
const ALIVE_FOR_MS = (KEPT_FOR_SECONDS + 10) * 1000;

/**
 * Which of an upstream's addresses takes connections. An attempt to connect cannot be called off, and where nobody answers the
 * system goes on trying for minutes: so where there is no sign of life, one goes ahead, and all calls that need a connection wait
 * for it. A thousand calls to a machine that is gone would be a thousand sockets otherwise.
 */
export class Reachability {
  #aliveAtMs = Number.NEGATIVE_INFINITY;
  #aliveAddress: string | undefined;
  #scout: Promise<void> | undefined;
  #ordered: { readonly from: readonly string[]; readonly addresses: readonly string[] } | undefined;

  /** A connection was made to this address, or the upstream has answered something there. */
  sawLife(address: string): void {
    if (address !== this.#aliveAddress) this.#ordered = undefined;
    this.#aliveAddress = address;
    this.#aliveAtMs = performance.now();
  }

  sawNoLife(): void {
    this.#aliveAtMs = Number.NEGATIVE_INFINITY;
  }

  isAlive(address: string): boolean {
    return address === this.#aliveAddress && performance.now() - this.#aliveAtMs < ALIVE_FOR_MS;
  }

  /** These addresses, the one that answered last before the others: it is where kept connections lead. */
  inOrder(addresses: readonly string[]): readonly string[] {
    const alive = this.#aliveAddress;
    if (alive === undefined || alive === addresses[0] || !addresses.includes(alive)) return addresses;
    if (this.#ordered?.from !== addresses) {
      this.#ordered = { from: addresses, addresses: [alive, ...addresses.filter((address) => address !== alive)] };
    }
    return this.#ordered.addresses;
  }

  /** Waits until one connection is made, which is kept for whoever comes first. Nobody waits longer than this for the same one. */
  async scout(dial: () => Promise<Connection>, withinMs: number): Promise<void> {
    if (this.#scout) return this.#scout;
    const scout = this.#goAhead(dial);
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

  async #goAhead(dial: () => Promise<Connection>): Promise<void> {
    const connection = await dial();
    this.sawLife(connection.place.address);
    connection.release(Number.POSITIVE_INFINITY);
  }
}
