import { isDirectAddress, proxyOf, type EgressProxy, type EgressSettings } from "../../models/egress-proxy.ts";
import { CheckedAddresses, systemLookup, type Lookup } from "./resolve.ts";
import type { Connection } from "../../lib/http1/client/connection.ts";
import { dialFirstReachable } from "../../lib/http1/client/happy-eyeballs.ts";
import { ConnectionPool, IDLE_SECONDS } from "../../lib/http1/client/connection-pool.ts";
import type { Origin } from "../../lib/http1/client/origin.ts";
import { addressIn } from "../../lib/net/ip-address.ts";

/**
 * Like the resolver and the certificate authorities, the proxy depends on the network of this machine, so it is one setting for all calls
 * of the process.
 */
let egress: EgressSettings | undefined;

/** Sets the proxy for destinations that are created from now on. */
export function useEgress(settings: EgressSettings | undefined): void {
  egress = settings;
}

/** The host of an upstream, at a checked address that accepts connections. */
export class Destination {
  /** The value of the `Host` header: the name, independent of the dialed address. */
  readonly host: string;
  /** The path of the base URL, without a trailing slash. */
  readonly basePath: string;
  readonly #origin: Origin;
  readonly #egress = egress;
  readonly #proxy: EgressProxy | undefined;
  readonly #addresses: Pick<CheckedAddresses, "known" | "lookUp">;
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
    // The metadata service responds only to direct connections from this machine, not to a proxy.
    this.#proxy = egress && !isForMetadata ? proxyOf(egress, this.#origin) : undefined;
    this.#addresses =
      this.#proxy && egress?.target === "name" && addressIn(url.hostname) === undefined
        ? nameAsAddress(url.hostname)
        : new CheckedAddresses(url.hostname, { allowPrivate, isEncrypted, isForMetadata }, lookup, nowMs);
  }

  /** How new connections are made, for messages; undefined if they are direct. */
  get via(): string | undefined {
    return this.#proxy && `the egress proxy ${this.#proxy.hostname}:${this.#proxy.port}`;
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
      await this.#reachability.dialOnceForAll(() => dialFirstReachable(pools), withinMs);
      const pooled = this.pooledConnection();
      if (pooled) return pooled;
    }
    const connection = await dialFirstReachable(this.#poolsAt(await this.addresses()));
    this.markReachable(connection.address);
    return connection;
  }

  /** Returns the same objects for the same addresses, because every call needs them. */
  #poolsAt(addresses: readonly string[]): readonly ConnectionPool[] {
    if (this.#poolsOf?.addresses !== addresses) {
      const pools = addresses.map((address) => ConnectionPool.at(address, this.#origin, this.#proxyTo(address)));
      this.#poolsOf = { addresses, pools };
    }
    return this.#poolsOf.pools;
  }

  #proxyTo(address: string): EgressProxy | undefined {
    return this.#proxy && !isDirectAddress(this.#egress!, address) ? this.#proxy : undefined;
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

/** A name that the proxy resolves: its addresses are unknown here, and are not checked. */
function nameAsAddress(hostname: string): Pick<CheckedAddresses, "known" | "lookUp"> {
  const names = [hostname.replace(/\.$/, "")];
  return { known: () => names, lookUp: () => Promise.resolve(names) };
}

/** How long after its last response or connection an upstream counts as reachable. */
const REACHABLE_FOR_MS = (IDLE_SECONDS + 10) * 1000;

/**
 * Tracks which of an upstream's addresses accepts connections. A connection attempt cannot be cancelled, and the system retries an
 * unresponsive address for minutes. So while an upstream is not known to be reachable, one call dials, and all others wait for it:
 * a thousand calls to a dead machine would otherwise open a thousand sockets.
 */
class Reachability {
  #reachableAtMs = Number.NEGATIVE_INFINITY;
  #reachableAddress: string | undefined;
  #firstDial: Promise<void> | undefined;
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

  /** Waits until a connection succeeds, which then goes to the pool. A call waits at most `withinMs` for the attempt. */
  async dialOnceForAll(dial: () => Promise<Connection>, withinMs: number): Promise<void> {
    if (this.#firstDial) return this.#firstDial;
    const firstDial = this.#dialFirst(dial);
    this.#firstDial = firstDial;
    const release = (): void => {
      if (this.#firstDial === firstDial) this.#firstDial = undefined;
    };
    const timer = setTimeout(release, withinMs);
    try {
      await firstDial;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async #dialFirst(dial: () => Promise<Connection>): Promise<void> {
    const connection = await dial();
    this.markReachable(connection.address);
    connection.release(Number.POSITIVE_INFINITY);
  }
}
