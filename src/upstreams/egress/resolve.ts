import dns from "node:dns/promises";
import { refusalOfAddress, type EgressRule } from "../../models/base-url.ts";
import { addressIn } from "../../lib/net/ip-address.ts";
import { unreachable } from "./unreachable.ts";
import { messageOf } from "../../lib/text/message-of.ts";

/** Resolves a name to all of its addresses. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** How long a checked address is used without another lookup. */
const FRESH_MS = 10_000;

/** How long an expired address is still used while the next lookup runs, so that calls to a busy upstream never wait for a resolver. */
const USABLE_MS = 60_000;

/** Uses the system's resolver, with the hosts file and search domains. */
export async function systemLookup(name: string): Promise<readonly string[]> {
  return (await dns.lookup(name, { all: true })).map(({ address }) => address);
}

/**
 * The checked addresses of an upstream's host (SSRF protection). One forbidden address rejects the whole name, because its owner, or
 * an attacker who has taken it over, is pointing it at internal services. The addresses are dialed rather than the name: a second lookup
 * could return others (DNS rebinding).
 */
export class CheckedAddresses {
  readonly #hostname: string;
  readonly #rule: EgressRule;
  readonly #lookup: Lookup;
  readonly #nowMs: () => number;
  #known: readonly string[] = [];
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<readonly string[]> | undefined;

  constructor(hostname: string, rule: EgressRule, lookup: Lookup, nowMs: () => number) {
    const literal = addressIn(hostname);
    this.#hostname = hostname;
    this.#rule = rule;
    this.#lookup = literal === undefined ? lookup : async () => [literal];
    this.#nowMs = nowMs;
  }

  /** The cached addresses; undefined if a lookup is needed first. */
  known(): readonly string[] | undefined {
    const ageMs = this.#nowMs() - this.#knownAtMs;
    if (ageMs >= USABLE_MS) return undefined;
    // After a failed lookup the next call tries again; a forbidden address in the result invalidates the cached ones.
    if (ageMs >= FRESH_MS) this.lookUp().catch(() => undefined);
    return this.#known;
  }

  /** Looks up the addresses, once for all waiting calls. */
  lookUp(): Promise<readonly string[]> {
    this.#looking ??= this.#lookUp().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookUp(): Promise<readonly string[]> {
    const addresses = await this.#resolve();
    const refusal = addresses.map((address) => refusalOfAddress(address, this.#rule)).find((found) => found !== undefined);
    this.#known = addresses;
    this.#knownAtMs = refusal === undefined ? this.#nowMs() : Number.NEGATIVE_INFINITY;
    if (refusal === undefined) return addresses;
    throw unreachable(`${this.#hostname} is not called: ${refusal}`);
  }

  async #resolve(): Promise<readonly string[]> {
    const addresses = await this.#lookup(this.#hostname).catch((error: unknown) => {
      throw unreachable(`${this.#hostname} cannot be resolved: ${messageOf(error)}`);
    });
    if (addresses.length > 0) return addresses;
    throw unreachable(`${this.#hostname} resolves to no address`);
  }
}
