/** An amount of money in nano-dollars. A `bigint` is exact for any amount, and a number of tokens cannot be mistaken for it. */
export type Nanos = bigint;

const DECIMALS = 9;
const NANOS_PER_DOLLAR = 10n ** BigInt(DECIMALS);

/** The maximum of an amount and of an account's credit: a higher amount is a typing error. Keeps sums within SQLite's integers. */
export const MAX_NANOS: Nanos = 1_000_000_000n * NANOS_PER_DOLLAR;

/** Formats dollars exactly, with at least two decimals. `12.50`, `0.000046`, `-0.03`. */
export function formatDollars(nanos: Nanos): string {
  return formatDecimal(nanos, DECIMALS);
}

/** The same for prices in pico-dollars: up to twelve decimals. */
export function formatPicos(picos: bigint): string {
  return formatDecimal(picos, DECIMALS + 3);
}

const ZERO = "0".charCodeAt(0);

/** Does not use a regular expression for speed: every response contains two amounts or more. */
function formatDecimal(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point + 2 && digits.charCodeAt(end - 1) === ZERO) end--;
  return `${amount < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Parses a decimal number of dollars; undefined if it is invalid or more precise than a nano-dollar. */
export function parseDollars(text: string): Nanos | undefined {
  const [, sign, whole, fraction = ""] = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const size = BigInt(whole) * NANOS_PER_DOLLAR + BigInt(fraction.padEnd(DECIMALS, "0"));
  if (size > MAX_NANOS) return undefined;
  return sign === "-" ? -size : size;
}
