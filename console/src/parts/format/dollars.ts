/** Exact money arithmetic: the platform's amounts are decimal strings with up to nine fractional digits. */

const DIGITS = 9;
const AMOUNT = /^(-?)(\d+)(?:\.(\d{1,9}))?$/;

/** Nanodollars; undefined if the text is not an amount. */
export function nanosOf(dollars: string): bigint | undefined {
  const parts = AMOUNT.exec(dollars.trim());
  if (!parts) return undefined;
  const nanos = BigInt(parts[2]! + (parts[3] ?? "").padEnd(DIGITS, "0"));
  return parts[1] ? -nanos : nanos;
}

export function dollarsOf(nanos: bigint): string {
  const text = (nanos < 0n ? -nanos : nanos).toString().padStart(DIGITS + 1, "0");
  return `${nanos < 0n ? "-" : ""}${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`;
}

/** The used fraction of a whole, from 0 to 1. */
export function share(part: string, whole: string): number {
  const [partNanos, wholeNanos] = [nanosOf(part) ?? 0n, nanosOf(whole) ?? 0n];
  if (wholeNanos <= 0n) return partNanos >= 0n ? 1 : 0;
  return Math.min(1, Math.max(0, Number(partNanos) / Number(wholeNanos)));
}
