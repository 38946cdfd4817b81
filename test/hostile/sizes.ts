import { isLong } from "../support/long.ts";

/** How many small things an upstream sends, and how deep it nests them. */
export const MOST = isLong ? 1_000_000 : 100_000;
export const DEEPEST = isLong ? 1_000_000 : 500_000;

/** As the names of cases write it: 1,000,000. */
export function named(count: number): string {
  return count.toLocaleString("en-US");
}
