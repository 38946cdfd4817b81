import type { Price } from "../../money/price.ts";

/**
 * A row of `prices`: a version of a price that was ever in force. Rates are JSON strings, because they may exceed the exact range of a
 * JavaScript number.
 */
export interface PriceTable {
  version: string;
  effective_at_ms: number;
  source: Price["source"];
  rates: string;
  tiers: string;
  /** Null for the price of the model itself. */
  price_list: string | null;
  /** The price version that this price is a percentage of; null if the price is not a percentage. */
  derived_from: string | null;
  percent: number | null;
  /** `multipliers` and `toolFees` as JSON; null if the price has neither. */
  premium: string | null;
}

export function toRow({ version, effectiveAtMs, source, rates, tiers, multipliers, toolFees, priceList, derivedFrom }: Price): PriceTable {
  return {
    version,
    effective_at_ms: effectiveAtMs,
    source,
    rates: write(rates),
    tiers: write(tiers),
    price_list: priceList ?? null,
    derived_from: derivedFrom?.version ?? null,
    percent: derivedFrom?.percent ?? null,
    premium: multipliers || toolFees ? write({ multipliers, toolFees }) : null,
  };
}

function write(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));
}
