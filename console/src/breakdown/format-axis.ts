import { compactCount } from "../parts/format.ts";

/** Short number formats for the y axis. */

export function axisDollars(value: number): string {
  if (value >= 10_000) return `$${compactCount(value)}`;
  // A request costs far less than a cent: two tick labels must not read the same.
  if (value < 0.01) return `$${value.toLocaleString("en-US", { maximumSignificantDigits: 3 })}`;
  const cents = Number.isInteger(value) ? 0 : 2;
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: cents, maximumFractionDigits: Math.max(cents, 4) })}`;
}

export function axisTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}
