import { isLong } from "../support/long.ts";

/** The number of small elements that an upstream sends, and its nesting depth. */
export const MAX_ELEMENTS = isLong ? 1_000_000 : 100_000;
export const MAX_DEPTH = isLong ? 1_000_000 : 500_000;

/** A count as the names of cases have it: 1,000,000. */
export function named(count: number): string {
  return count.toLocaleString("en-US");
}
