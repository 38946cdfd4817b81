import { mapValues, type Price, type Rates, type Tier } from "../../../money/price.ts";
import type { LedgerRows } from "./ledger-rows.ts";

/** A row of `prices`. Rates are JSON strings, because they may exceed the exact range of a JavaScript number. */
interface PriceRow {
  readonly version: string;
  readonly effective_at_ms: number;
  readonly source: Price["source"];
  readonly rates: string;
  readonly tiers: string;
  readonly price_list: string | null;
  readonly derived_from: string | null;
  readonly percent: number | null;
  readonly premium: string | null;
}

type WrittenRates = Readonly<Record<Exclude<keyof Rates, "cacheWriteHourPicos">, string>> & { readonly cacheWriteHourPicos?: string };
type WrittenTier = Omit<Tier, "rates"> & { readonly rates: WrittenRates };
type WrittenPremium = Readonly<Partial<Record<"multipliers" | "toolFees", Readonly<Record<string, string>>>>>;

/** A price version that was ever in force. */
export async function findPrice(rows: LedgerRows, version: string): Promise<Price | undefined> {
  const [row] = await rows.all<PriceRow>("select * from prices where version = $1", [version]);
  return row && fromRow(row);
}

/** The tier bounds of all prices, in increasing order. */
export async function readTierBounds(rows: LedgerRows): Promise<readonly number[]> {
  const all = await rows.all<{ tiers: string }>("select distinct tiers from prices");
  const bounds = all.flatMap(({ tiers }) => (JSON.parse(tiers) as WrittenTier[]).map(({ aboveInputTokens }) => aboveInputTokens));
  return [...new Set(bounds)].toSorted((one, other) => one - other);
}

function fromRow(row: PriceRow): Price {
  const tiers = JSON.parse(row.tiers) as WrittenTier[];
  return {
    version: row.version,
    effectiveAtMs: row.effective_at_ms,
    source: row.source,
    rates: readRates(JSON.parse(row.rates) as WrittenRates),
    tiers: tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, rates: readRates(tier.rates) })),
    ...(row.premium !== null && readPremium(JSON.parse(row.premium) as WrittenPremium)),
    ...(row.price_list !== null && { priceList: row.price_list }),
    ...(row.derived_from !== null && { derivedFrom: { version: row.derived_from, percent: row.percent! } }),
  };
}

function readPremium({ multipliers, toolFees }: WrittenPremium): Pick<Price, "multipliers" | "toolFees"> {
  return {
    ...(multipliers && { multipliers: mapValues(multipliers, BigInt) }),
    ...(toolFees && { toolFees: mapValues(toolFees, BigInt) }),
  };
}

function readRates(rates: WrittenRates): Rates {
  return {
    inputPicos: BigInt(rates.inputPicos),
    cachedInputPicos: BigInt(rates.cachedInputPicos),
    cacheWritePicos: BigInt(rates.cacheWritePicos),
    ...(rates.cacheWriteHourPicos !== undefined && { cacheWriteHourPicos: BigInt(rates.cacheWriteHourPicos) }),
    outputPicos: BigInt(rates.outputPicos),
    reasoningPicos: BigInt(rates.reasoningPicos),
  };
}
