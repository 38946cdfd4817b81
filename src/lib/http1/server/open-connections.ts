import type { ConnectionClosure } from "./connection-closures.ts";
import type { Connection } from "./connection.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/** The share of the maximum that one address may have without a valid credential. Clients with a valid key authenticate immediately. */
const UNAUTHENTICATED_SHARE = 0.25;
/**
 * The same share including connections that are too young to have authenticated, so that one address cannot temporarily take all
 * connections.
 */
const YOUNG_SHARE = 0.5;

/**
 * How many authenticated connections are examined to find a connection that can be closed. Without this limit, each new connection would
 * examine all 20,000 busy ones.
 */
const MAX_EXAMINED = 1000;

/** The numbers of open connections, and of connections that were closed to bound the resources of clients. */
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
  /** The authenticated connections of each account, in the order in which they are considered for closing. */
  readonly #byAccount = new Map<string, Set<Connection>>();
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
   * rejecting the newest: clients with a key authenticate immediately, so idle connections cannot lock them out, not even from the same
   * address. Returns the limit that was hit if no connection can be closed.
   */
  makeRoomFor(network: string | undefined): "full" | "address_limit" | undefined {
    if (network !== undefined && !this.#makeRoomIn(network)) return "address_limit";
    if (this.#all.size < this.#max || this.#closeOldest("full") || this.#closeAuthenticated()) return undefined;
    return "full";
  }

  /** Whether an account has less than an equal part of the connections. */
  isBelowShare(account: string): boolean {
    const count = this.#byAccount.get(account)?.size ?? 0;
    return count < this.#max / (this.#byAccount.size + (count === 0 ? 1 : 0));
  }

  /** Clients that connect at the same time may briefly exceed the limit: each is about to authenticate. */
  #makeRoomIn(network: string): boolean {
    while (this.#unauthenticated.countOf(network) >= this.#maxUnauthenticated) {
      if (!this.#closeOldest("address_limit", network)) return this.#hasRoomForYoung(network);
    }
    return true;
  }

  #hasRoomForYoung(network: string): boolean {
    return this.#unauthenticated.countOf(network) < this.#maxWithYoung && this.#unauthenticated.hasYoung(network);
  }

  /** A connection without a network (of a trusted proxy) counts as authenticated. */
  add(connection: Connection): void {
    const { network } = connection.standing;
    this.#all.add(connection);
    if (network === undefined) connection.standing.trust();
    else this.#unauthenticated.add(connection, network);
  }

  authenticated(connection: Connection, account: string): void {
    this.#unauthenticated.delete(connection);
    this.#leaveAccount(connection);
    const ofAccount = this.#byAccount.get(account);
    if (ofAccount) ofAccount.add(connection);
    else this.#byAccount.set(account, new Set([connection]));
  }

  unauthenticated(connection: Connection): void {
    this.#leaveAccount(connection);
    this.#unauthenticated.add(connection, connection.standing.network!);
  }

  delete(connection: Connection): void {
    this.#all.delete(connection);
    this.#unauthenticated.delete(connection);
    this.#leaveAccount(connection);
  }

  #leaveAccount(connection: Connection): void {
    const { account } = connection.standing;
    const ofAccount = account === undefined ? undefined : this.#byAccount.get(account);
    if (ofAccount?.delete(connection) && ofAccount.size === 0) this.#byAccount.delete(account!);
  }

  noteClosure(reason: ConnectionClosure): void {
    this.#closed[reason]++;
  }

  #closeOldest(reason: ConnectionClosure, network?: string): boolean {
    const oldest = this.#unauthenticated.oldestReplaceable(network);
    if (!oldest) return false;
    this.#close(oldest, reason);
    return true;
  }

  /**
   * Closes an idle connection of the account with the most connections. A connection without a valid credential, which anybody can open,
   * may replace an authenticated connection only while such connections are less than half of the maximum.
   */
  #closeAuthenticated(): boolean {
    if (this.#unauthenticated.size >= this.#max / 2) return false;
    let left = MAX_EXAMINED;
    for (const connections of [...this.#byAccount.values()].toSorted((one, other) => other.size - one.size)) {
      const isAboveShare = connections.size > this.#max / this.#byAccount.size;
      const found = findClosable(connections, isAboveShare, left);
      if (found) {
        this.#close(found, "full");
        return true;
      }
      left -= connections.size;
      if (left <= 0) break;
    }
    return false;
  }

  #close(connection: Connection, reason: ConnectionClosure): void {
    this.noteClosure(reason);
    // The connection no longer counts from here on, even if closing it takes a moment.
    this.delete(connection);
    connection.close();
  }
}

/**
 * An idle connection of an account. If the account is above its share, a connection that sends a request slowly may be closed, too. Busy
 * connections are examined last the next time.
 */
function findClosable(connections: Set<Connection>, isAboveShare: boolean, most: number): Connection | undefined {
  let left = Math.min(connections.size, most);
  for (const connection of connections) {
    if (left-- <= 0) return undefined;
    if (isAboveShare ? connection.isReplaceable && !connection.isSending : connection.isIdle) return connection;
    connections.delete(connection);
    connections.add(connection);
  }
  return undefined;
}
