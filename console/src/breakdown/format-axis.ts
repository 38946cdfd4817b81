import { compactFormat, dollarFormat, numberFormat } from "../parts/format/locale.ts";

/** Short number formats for the y axis. */

const DOLLARS = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
const thousands = compactFormat({ ...DOLLARS, maximumFractionDigits: 1 });
const parts = numberFormat({ ...DOLLARS, maximumSignificantDigits: 3 });
const [whole, cents] = [dollarFormat(0), dollarFormat(2, 4)];
const seconds = numberFormat({ maximumFractionDigits: 1 });

export function axisDollars(value: number): string {
  if (value >= 10_000) return thousands(value);
  // A request costs far less than a cent: two tick labels must not look the same.
  if (value < 0.01) return parts.format(value);
  return (Number.isInteger(value) ? whole : cents).format(value);
}

export function axisTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${seconds.format(ms / 1000)} s`;
}
