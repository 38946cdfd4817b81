import type { ConnectionClosure } from "./connection-closures.ts";
import type { Connection } from "./connection.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/** The share of the maximum that one address may have without a valid credential. Clients with a valid key authenticate at once. */
const UNAUTHENTICATED_SHARE = 0.25;
/** The same with connections that are too young to have authenticated, so that one address cannot take all connections meanwhile. */
const YOUNG_SHARE = 0.5;

/** Open connections, and those closed to bound the resources of clients. */
export interface ConnectionCounts {
  readonly authenticated: number;
  readonly unauthenticated: number;
  readonly closed: Readonly<Record<ConnectionClosure, number>>;
}

/** The open connections of a listener, and its limits on them. */
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
   * Makes room for one more connection from a network. At a limit, the oldest connections without a valid credential are closed instead of
   * rejecting the newest: clients with a key authenticate at once, so idle connections cannot keep them out, not even at the same
   * address. Returns the limit that was hit where no connection can be closed.
   */
  makeRoomFor(network: string | undefined): "full" | "address_limit" | undefined {
    if (network !== undefined && !this.#makeRoomIn(network)) return this.#reject("address_limit");
    if (this.#all.size < this.#max || this.#closeOldest("full")) return undefined;
    return this.#reject("full");
  }

  /** Clients that connect at the same time may exceed the limit for a moment: each is about to authenticate. */
  #makeRoomIn(network: string): boolean {
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

  /** A connection without a network (of a trusted proxy) counts as authenticated. */
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
    // It no longer counts from here on, even if closing it takes a moment.
    this.delete(oldest);
    oldest.close();
    return true;
  }
}
