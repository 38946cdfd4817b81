import { addressIn } from "../vocabulary/base-url.ts";
import { Reachability } from "./reachability.ts";
import { CheckedAddresses, systemLookup, type Lookup } from "./resolve.ts";
import { unreachable } from "./unreachable.ts";

/** Where the calls of an upstream go: its host, at an address that was checked and takes connections. */
export class Destination {
  /** What the upstream is told to be called: the name, whatever address is dialled. */
  readonly host: string;
  /** The name its certificate must have; undefined where it is not encrypted, or is called by its address. */
  readonly serverName: string | undefined;
  readonly #scheme: string;
  readonly #portAndPath: string;
  readonly #addresses: CheckedAddresses;
  readonly #reachability: Reachability;

  constructor(
    place: { baseUrl: string; allowPrivate: boolean },
    lookup: Lookup = systemLookup,
    nowMs: () => number = () => performance.now(),
  ) {
    const url = new URL(place.baseUrl);
    const isEncrypted = url.protocol === "https:";
    const port = url.port || (isEncrypted ? "443" : "80");
    this.host = url.host;
    this.serverName = isEncrypted && addressIn(url.hostname) === undefined ? url.hostname.replace(/\.$/, "") : undefined;
    this.#scheme = url.protocol;
    this.#portAndPath = `:${port}${url.pathname.replace(/\/+$/, "")}`;
    this.#addresses = new CheckedAddresses(url.hostname, { allowPrivate: place.allowPrivate, isEncrypted }, lookup, nowMs);
    this.#reachability = new Reachability(Number(port));
  }

  /** The URL that dials this address: no name is left in it that could be resolved anew. */
  urlAt(address: string, path: string): string {
    return `${this.#scheme}//${address.includes(":") ? `[${address}]` : address}${this.#portAndPath}${path}`;
  }

  /** The addresses to try, one after the other, where a kept connection may carry the call; else undefined. */
  keptAddresses(): readonly string[] | undefined {
    const known = this.#addresses.known();
    if (known === undefined) return undefined;
    const addresses = this.#reachability.inOrder(known);
    return this.#reachability.isAlive(addresses[0]!) ? addresses : undefined;
  }

  /** The addresses to try, looked up where they are not known. */
  async addresses(): Promise<readonly string[]> {
    return this.#reachability.inOrder(this.#addresses.known() ?? (await this.#addresses.lookUp()));
  }

  /** These addresses, one that takes connections before the others. Throws where none does in time. */
  async openFirst(addresses: readonly string[], withinMs: number): Promise<readonly string[]> {
    const open = await this.#reachability.findOpen(addresses, withinMs);
    if (open !== undefined) return this.#reachability.inOrder(addresses);
    throw unreachable(`waited ${withinMs} ms for the connection`);
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
