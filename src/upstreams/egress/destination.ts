import { Reachability } from "./reachability.ts";
import { CheckedAddresses, systemLookup, type Lookup } from "./resolve.ts";
import type { Connection } from "../../lib/http1/client/connection.ts";
import { dialFirstReachable } from "../../lib/http1/client/happy-eyeballs.ts";
import { ConnectionPool } from "../../lib/http1/client/connection-pool.ts";
import type { Origin } from "../../lib/http1/client/origin.ts";

/** The host of an upstream, at a checked address that accepts connections. */
export class Destination {
  /** The value of the `Host` header: the name, whichever address is dialed. */
  readonly host: string;
  /** The path of the base URL, without a trailing slash. */
  readonly basePath: string;
  readonly #origin: Origin;
  readonly #addresses: CheckedAddresses;
  readonly #reachability = new Reachability();
  #poolsOf: { readonly addresses: readonly string[]; readonly pools: readonly ConnectionPool[] } | undefined;

  constructor(
    place: { baseUrl: string; allowPrivate: boolean; isForMetadata?: boolean },
    lookup: Lookup = systemLookup,
    nowMs: () => number = () => performance.now(),
  ) {
    const url = new URL(place.baseUrl);
    const isEncrypted = url.protocol === "https:";
    this.host = url.host;
    this.basePath = url.pathname.replace(/\/+$/, "");
    this.#origin = { isEncrypted, hostname: url.hostname, port: Number(url.port || (isEncrypted ? "443" : "80")) };
    const { allowPrivate, isForMetadata } = place;
    this.#addresses = new CheckedAddresses(url.hostname, { allowPrivate, isEncrypted, isForMetadata }, lookup, nowMs);
  }

  /** The addresses in the order in which to try them, resolved if necessary. */
  async addresses(): Promise<readonly string[]> {
    return this.#reachability.inOrder(this.#addresses.known() ?? (await this.#addresses.lookUp()));
  }

  /** An idle connection from the pool, to an address that is still allowed. */
  pooledConnection(): Connection | undefined {
    const known = this.#addresses.known();
    if (known === undefined) return undefined;
    for (const pool of this.#poolsAt(this.#reachability.inOrder(known))) {
      const connection = pool.take();
      if (connection) return connection;
    }
    return undefined;
  }

  /** A connection from the pool, or a new one. */
  async connect(withinMs: number): Promise<Connection> {
    const pools = this.#poolsAt(await this.addresses());
    if (!this.#reachability.isReachable(pools[0]!.address)) {
      await this.#reachability.scout(() => dialFirstReachable(pools), withinMs);
      const scout = this.pooledConnection();
      if (scout) return scout;
    }
    const connection = await dialFirstReachable(this.#poolsAt(await this.addresses()));
    this.markReachable(connection.address);
    return connection;
  }

  /** The same objects for the same addresses: every call needs them. */
  #poolsAt(addresses: readonly string[]): readonly ConnectionPool[] {
    if (this.#poolsOf?.addresses !== addresses) {
      const pools = addresses.map((address) => ConnectionPool.at(address, this.#origin));
      this.#poolsOf = { addresses, pools };
    }
    return this.#poolsOf.pools;
  }

  /** The upstream has responded at this address. */
  markReachable(address: string): void {
    this.#reachability.markReachable(address);
  }

  /** No connection succeeded: the next call has to find a reachable address again. */
  markUnreachable(): void {
    this.#reachability.markUnreachable();
  }
}
