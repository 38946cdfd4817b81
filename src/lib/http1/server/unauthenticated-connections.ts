import type { Connection } from "./connection.ts";

/** The connections of a listener that have not sent an authenticated request yet, by network. */
export class UnauthenticatedConnections {
  /** Oldest first, as in each of the sets below. */
  readonly #networks = new Map<Connection, string>();
  readonly #byNetwork = new Map<string, Set<Connection>>();

  get size(): number {
    return this.#networks.size;
  }

  countOf(network: string): number {
    return this.#byNetwork.get(network)?.size ?? 0;
  }

  add(connection: Connection, network: string): void {
    this.#networks.set(connection, network);
    const ofNetwork = this.#byNetwork.get(network);
    if (ofNetwork) ofNetwork.add(connection);
    else this.#byNetwork.set(network, new Set([connection]));
  }

  delete(connection: Connection): void {
    const network = this.#networks.get(connection);
    if (network === undefined) return;
    this.#networks.delete(connection);
    const ofNetwork = this.#byNetwork.get(network)!;
    ofNetwork.delete(connection);
    if (ofNetwork.size === 0) this.#byNetwork.delete(network);
  }

  /**
   * The oldest connection, of one network or of all, that may be closed in favour of another. The search ends at the first young
   * connection, so that many new connections do not each scan all others. A replaceable connection behind the young one is found once that
   * is no longer young.
   */
  oldestReplaceable(network?: string): Connection | undefined {
    const connections = network === undefined ? this.#networks.keys() : (this.#byNetwork.get(network) ?? []);
    for (const connection of connections) {
      if (connection.isReplaceable) return connection;
      if (connection.isYoung) return undefined;
    }
    return undefined;
  }

  hasYoung(network: string): boolean {
    const connections = this.#byNetwork.get(network) ?? [];
    for (const connection of connections) if (connection.isYoung) return true;
    return false;
  }
}
