import type { Entry } from "../../money/ledger-entry.ts";
import type { Price } from "../../money/price.ts";

/**
 * The prices that entries refer to, and the prices that these are percentages of. They are read before the entries are replayed, because
 * the replay itself is synchronous.
 */
export class NamedPrices {
  readonly #read: (version: string) => Promise<Price | undefined>;
  readonly #results = new Map<string, PromiseSettledResult<Price | undefined>>();

  constructor(read: (version: string) => Promise<Price | undefined>) {
    this.#read = read;
  }

  /** Reads the prices that these entries refer to. If reading a price failed before, it is read again. */
  async readFor(entries: readonly Entry[]): Promise<void> {
    let named = entries.flatMap(versionsIn);
    while (named.length > 0) named = await this.#readNew(named);
  }

  /** Reads the prices that are new. Returns the versions that these are derived from. */
  async #readNew(named: readonly string[]): Promise<string[]> {
    const versions = [...new Set(named)].filter((version) => this.#results.get(version)?.status !== "fulfilled");
    const results = await Promise.allSettled(versions.map((version) => this.#read(version)));
    versions.forEach((version, at) => this.#results.set(version, results[at]!));
    return results.flatMap((result) => (result.status === "fulfilled" ? (result.value?.derivedFrom?.version ?? []) : []));
  }

  /** Undefined if no price has this version. Throws the error of reading, if the price could not be read. */
  find(version: string): Price | undefined {
    const result = this.#results.get(version);
    if (result?.status === "rejected") throw result.reason;
    return result?.value;
  }
}

function versionsIn(entry: Entry): string[] {
  if (!("priceVersion" in entry)) return [];
  const { priceVersion } = entry;
  return entry.kind === "settle" && entry.costVersion !== undefined ? [priceVersion, entry.costVersion] : [priceVersion];
}
