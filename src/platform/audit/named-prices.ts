import type { Entry } from "../../money/ledger-entry.ts";
import type { Price } from "../../money/price.ts";

/** The prices that entries name. They are read before the entries are replayed, because the replay itself does not wait. */
export class NamedPrices {
  readonly #read: (version: string) => Promise<Price | undefined>;
  readonly #results = new Map<string, PromiseSettledResult<Price | undefined>>();

  constructor(read: (version: string) => Promise<Price | undefined>) {
    this.#read = read;
  }

  /** Reads the prices that these entries name. Prices that could not be read before are read again. */
  async readFor(entries: readonly Entry[]): Promise<void> {
    const versions = [...new Set(entries.flatMap(versionsIn))].filter((version) => this.#results.get(version)?.status !== "fulfilled");
    const results = await Promise.allSettled(versions.map((version) => this.#read(version)));
    versions.forEach((version, at) => this.#results.set(version, results[at]!));
  }

  /** Undefined where no price has this version. Throws the error by which it could not be read. */
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
