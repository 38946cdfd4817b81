import dns from "node:dns/promises";
import { addressIn, refusalOfAddress, type EgressRule } from "../../models/base-url.ts";
import { unreachable } from "./unreachable.ts";

/** Gives every address that a name resolves to. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** For so long a checked address is used without another look. */
const FRESH_MS = 10_000;

/** For so long it is still used while the next look is under way, so that a busy upstream never waits for a resolver. */
const USABLE_MS = 60_000;

/** As every program on this machine resolves names: the hosts file, search domains and all. */
export async function systemLookup(name: string): Promise<readonly string[]> {
  return (await dns.lookup(name, { all: true })).map(({ address }) => address);
}

/**
 * The addresses of an upstream's host. One that the rules refuse refuses them all, because its owner, or whoever has taken
 * the name over, means no good. These addresses are dialled and not the name: between a check and another look the answer
 * can change (DNS rebinding).
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

  /** Those at hand; undefined where they must be looked up first. */
  known(): readonly string[] | undefined {
    const ageMs = this.#nowMs() - this.#knownAtMs;
    if (ageMs >= USABLE_MS) return undefined;
    // A resolver that fails is asked again by the next call; one that gives a refused address ends the use of the old ones.
    if (ageMs >= FRESH_MS) this.lookUp().catch(() => undefined);
    return this.#known;
  }

  /** Looks them up, once for all who wait. */
  lookUp(): Promise<readonly string[]> {
    this.#looking ??= this.#lookUp().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookUp(): Promise<readonly string[]> {
    const addresses = await this.#ask();
    const refusal = addresses.map((address) => refusalOfAddress(address, this.#rule)).find((found) => found !== undefined);
    this.#known = addresses;
    this.#knownAtMs = refusal === undefined ? this.#nowMs() : Number.NEGATIVE_INFINITY;
    if (refusal === undefined) return addresses;
    throw unreachable(`${this.#hostname} is not called: ${refusal}`);
  }

  async #ask(): Promise<readonly string[]> {
    const addresses = await this.#lookup(this.#hostname).catch((error: unknown) => {
      throw unreachable(`${this.#hostname} cannot be resolved: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (addresses.length > 0) return addresses;
    throw unreachable(`${this.#hostname} resolves to no address`);
  }
}
