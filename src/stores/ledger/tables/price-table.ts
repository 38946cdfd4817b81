import type { Database as SqliteFile } from "bun:sqlite";
import type { Price, Rates, Tier } from "../../../money/price.ts";

/** A row of `prices`. Rates are JSON strings, because they may exceed the exact range of a JavaScript number. */
export interface PriceRow {
  version: string;
  effective_at_ms: number;
  source: Price["source"];
  rates: string;
  tiers: string;
  price_list: string | null;
  derived_from: string | null;
  percent: number | null;
}

type WrittenTier = Omit<Tier, "rates"> & { readonly rates: Record<keyof Rates, string> };

/** Every version of a price that was ever in force. */
export class PriceTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  find(version: string): Price | undefined {
    const row = this.#file.query<PriceRow, [string]>("select * from prices where version = ?").get(version);
    return row ? priceFromRow(row) : undefined;
  }

  tierBounds(): readonly number[] {
    const sql = "select distinct value ->> 'aboveInputTokens' as bound from prices, json_each(prices.tiers) order by bound";
    return this.#file
      .query<{ bound: number }, []>(sql)
      .all()
      .map(({ bound }) => bound);
  }
}

export function priceFromRow(row: PriceRow): Price {
  const tiers = JSON.parse(row.tiers) as WrittenTier[];
  return {
    version: row.version,
    effectiveAtMs: row.effective_at_ms,
    source: row.source,
    rates: readRates(JSON.parse(row.rates) as Record<keyof Rates, string>),
    tiers: tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, rates: readRates(tier.rates) })),
    ...(row.price_list !== null && { priceList: row.price_list }),
    ...(row.derived_from !== null && { derivedFrom: { version: row.derived_from, percent: row.percent! } }),
  };
}

function readRates(rates: Record<keyof Rates, string>): Rates {
  return {
    inputPicos: BigInt(rates.inputPicos),
    cachedInputPicos: BigInt(rates.cachedInputPicos),
    cacheWritePicos: BigInt(rates.cacheWritePicos),
    outputPicos: BigInt(rates.outputPicos),
    reasoningPicos: BigInt(rates.reasoningPicos),
  };
}
