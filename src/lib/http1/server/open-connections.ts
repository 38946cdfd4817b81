import type { ConnectionClosure } from "./connection-closures.ts";
import type { Connection } from "./connection.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/** The share of all connections that one address may have without a valid credential. Callers who have one are done with it at once. */
const UNAUTHENTICATED_SHARE = 0.25;
/** The same with those that are too young to have shown one: one address could otherwise take all connections for as long as that is. */
const YOUNG_SHARE = 0.5;

/** How many connections there are, and how many were closed to bound what callers can hold. */
export interface ConnectionCounts {
  readonly authenticated: number;
  readonly unauthenticated: number;
  readonly closed: Readonly<Record<ConnectionClosure, number>>;
}

/** The open connections of a listener, and the room for more of them. */
export class OpenConnections {
  readonly #max: number;
  readonly #maxUnauthenticated: number;
  readonly #maxWithYoung: number;
  readonly #all = new Set<Connection>();
  readonly #unauthenticated = new UnauthenticatedConnections();
  readonly #closed: Record<ConnectionClosure, number> = { full: 0, address_limit: 0, unauthenticated: 0, rejected_upload: 0 };

  constructor(max: number) {
    this.#max = max;
    this.#maxUnauthenticated = Math.max(1, Math.floor(max * UNAUTHENTICATED_SHARE));
    this.#maxWithYoung = Math.max(1, Math.floor(max * YOUNG_SHARE));
  }

  get size(): number {
    return this.#all.size;
  }

  get counts(): ConnectionCounts {
    const { size } = this.#unauthenticated;
    return { authenticated: this.#all.size - size, unauthenticated: size, closed: this.#closed };
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#all.values();
  }

  /**
   * Makes room for one more from a network. Where there is none, the oldest connections without a valid credential are closed instead of
   * rejecting the newest: a caller shows its key at once, so idle connections keep out nobody, not even callers at their
   * own address. Returns the limit where no room can be made.
   */
  makeRoom(network: string | undefined): "full" | "address_limit" | undefined {
    if (network !== undefined && !this.#makeRoomOf(network)) return this.#reject("address_limit");
    if (this.#all.size < this.#max || this.#closeOldest("full")) return undefined;
    return this.#reject("full");
  }

  /** Callers that come at the same time may be more than the limit for a moment: each is about to show its key. */
  #makeRoomOf(network: string): boolean {
    while (this.#unauthenticated.countOf(network) >= this.#maxUnauthenticated) {
      if (!this.#closeOldest("address_limit", network)) return this.#hasRoomForYoung(network);
    }
    return true;
  }

  #hasRoomForYoung(network: string): boolean {
    return this.#unauthenticated.countOf(network) < this.#maxWithYoung && this.#unauthenticated.hasYoung(network);
  }

  #reject<Limit extends ConnectionClosure>(limit: Limit): Limit {
    this.noteClosure(limit);
    return limit;
  }

  /** One of no network has the trust that others get by a valid credential. */
  add(connection: Connection, network: string | undefined): void {
    this.#all.add(connection);
    if (network === undefined) connection.trust();
    else this.#unauthenticated.add(connection, network);
  }

  authenticated(connection: Connection): void {
    this.#unauthenticated.delete(connection);
  }

  delete(connection: Connection): void {
    this.#all.delete(connection);
    this.#unauthenticated.delete(connection);
  }

  noteClosure(reason: ConnectionClosure): void {
    this.#closed[reason]++;
  }

  #closeOldest(reason: ConnectionClosure, network?: string): boolean {
    const oldest = this.#unauthenticated.oldestReplaceable(network);
    if (!oldest) return false;
    this.noteClosure(reason);
    // Its place is free from here on, also where the system takes a moment to close it.
    this.delete(oldest);
    oldest.close();
    return true;
  }
}
