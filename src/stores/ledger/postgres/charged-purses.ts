import type { Entry } from "../../../money/ledger-entry.ts";
import { type Purse, purseKey } from "../../../money/purse.ts";
import type { CountedBreakdowns } from "../books/counted-breakdowns.ts";
import { pursesOf } from "../leases/changed-purses.ts";

/** The purses that an entry changes: the purses that it is paid from, and the purses of all counted breakdowns that it counts for. */
export function chargedPurses(entry: Entry, counted: CountedBreakdowns): readonly Purse[] {
  return "keyId" in entry ? [...pursesOf(entry), ...counted.pursesOf(entry)] : pursesOf(entry);
}

export function uniquePurses(purses: readonly Purse[]): readonly Purse[] {
  return [...new Map(purses.map((purse) => [purseKey(purse), purse])).values()];
}
