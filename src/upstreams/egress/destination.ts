import { Reachability } from "./reachability.ts";
import { CheckedAddresses, systemLookup, type Lookup } from "./resolve.ts";
import type { Connection } from "../../lib/http1/client/connection.ts";
import { dialFirst } from "../../lib/http1/client/dial-first.ts";
import { ConnectionPool, type Origin } from "../../lib/http1/client/place.ts";

/** Where the calls of an upstream go: its host, at an address that was checked and takes connections. */
export class Destination {
  /** What the upstream is told to be called: the name, whatever address is dialled. */
  readonly host: string;
  /** The path of the base address, without a slash at its end. */
  readonly basePath: string;
  readonly #origin: Origin;
  readonly #addresses: CheckedAddresses;
  readonly #reachability = new Reachability();
  #placesOf: { readonly addresses: readonly string[]; readonly places: readonly ConnectionPool[] } | undefined;

  constructor(
    place: { baseUrl: string; allowPrivate: boolean },
    lookup: Lookup = systemLookup,
    nowMs: () => number = () => performance.now(),
  ) {
    const url = new URL(place.baseUrl);
    const isEncrypted = url.protocol === "https:";
    this.host = url.host;
    this.basePath = url.pathname.replace(/\/+$/, "");
    this.#origin = { isEncrypted, hostname: url.hostname, port: Number(url.port || (isEncrypted ? "443" : "80")) };
    this.#addresses = new CheckedAddresses(url.hostname, { allowPrivate: place.allowPrivate, isEncrypted }, lookup, nowMs);
  }

  /** The addresses to try, one after the other, looked up where they are not known. */
  async addresses(): Promise<readonly string[]> {
    return this.#reachability.inOrder(this.#addresses.known() ?? (await this.#addresses.lookUp()));
  }

  /** An idle connection to an address that may still be used, if there is one. */
  keptConnection(): Connection | undefined {
    const known = this.#addresses.known();
    if (known === undefined) return undefined;
    for (const place of this.#placesAt(this.#reachability.inOrder(known))) {
      const connection = place.take();
      if (connection) return connection;
    }
    return undefined;
  }

  /** A connection, a new one where none is idle. */
  async connect(withinMs: number): Promise<Connection> {
    const places = this.#placesAt(await this.addresses());
    if (!this.#reachability.isAlive(places[0]!.address)) {
      await this.#reachability.scout(() => dialFirst(places), withinMs);
      const scout = this.keptConnection();
      if (scout) return scout;
    }
    const connection = await dialFirst(this.#placesAt(await this.addresses()));
    this.sawLife(connection.place.address);
    return connection;
  }

  /** The same objects for the same addresses: a busy upstream is asked for them with each call. */
  #placesAt(addresses: readonly string[]): readonly ConnectionPool[] {
    if (this.#placesOf?.addresses !== addresses) {
      const places = addresses.map((address) => ConnectionPool.at(address, this.#origin));
      this.#placesOf = { addresses, places };
    }
    return this.#placesOf.places;
  }

  /** The upstream has answered something at this address. */
  sawLife(address: string): void {
    this.#reachability.sawLife(address);
  }

  /** There was no connection: which address takes one is to be found out anew. */
  sawNoLife(): void {
    this.#reachability.sawNoLife();
  }
}
