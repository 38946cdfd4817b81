import type { Connection } from "./connection.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/**
 * The share of the reserve that accounts may use, and that one address may have without a valid credential. The remaining reserve is for
 * health checks and operators.
 */
const LENT_SHARE = 0.5;
/** The share of the reserve that one account may use. */
const ACCOUNT_SHARE = 0.25;
/** The network of all trusted proxies, which have no separate limit. */
const PROXIES = "trusted proxies";

/**
 * The connections beyond the maximum of a listener whose connections are all in use. Each serves one request and is then closed. The
 * request may be without a credential, such as a health check or a sign-in, or from an operator, or from an account that has less than its
 * share.
 */
export class ReservedConnections {
  readonly #max: number;
  readonly #all = new Set<Connection>();
  readonly #waiting = new UnauthenticatedConnections();
  /** The connections that serve a request of an account. */
  readonly #lent = new Map<Connection, string>();

  constructor(max: number) {
    this.#max = Math.max(1, Math.floor(max));
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#all.values();
  }

  has(connection: Connection): boolean {
    return this.#all.has(connection);
  }

  /** Adds a connection if there is room, or room can be made. Its network is undefined for a trusted proxy. */
  add(connection: Connection): boolean {
    const { network } = connection.standing;
    if (network !== undefined && this.#waiting.countOf(network) >= this.#part(LENT_SHARE) && !this.#closeOldest(network)) return false;
    if (this.#all.size >= this.#max && !this.#closeOldest()) return false;
    connection.standing.isReserved = true;
    this.#all.add(connection);
    this.#waiting.add(connection, network ?? PROXIES);
    return true;
  }

  /** Whether a request of an account that has less than its share of all connections may be served. */
  lend(connection: Connection, account: string): boolean {
    const ofAccount = this.#lent.values().reduce((count, each) => (each === account ? count + 1 : count), 0);
    if (this.#lent.size >= this.#part(LENT_SHARE) || ofAccount >= this.#part(ACCOUNT_SHARE)) return false;
    this.#lent.set(connection, account);
    return true;
  }

  /** Called when the request of the connection is served. The connection no longer counts for its network. */
  admit(connection: Connection): void {
    this.#waiting.delete(connection);
  }

  delete(connection: Connection): void {
    this.#all.delete(connection);
    this.#waiting.delete(connection);
    this.#lent.delete(connection);
  }

  #part(share: number): number {
    return Math.max(1, Math.floor(this.#max * share));
  }

  #closeOldest(network?: string): boolean {
    const oldest = this.#waiting.oldestReplaceable(network);
    if (!oldest) return false;
    this.delete(oldest);
    oldest.close();
    return true;
  }
}
