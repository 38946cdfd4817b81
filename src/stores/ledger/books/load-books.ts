import type { Entry } from "../../../money/ledger-entry.ts";
import type { Books } from "./books.ts";
import type { Charge } from "./past-period-spending.ts";
import type { EntryTable } from "../tables/entry-table.ts";
import type { TallyTable } from "../tables/tally-table.ts";

const PAGE = 1000;

/**
 * Fills empty books: from the last tallies, and the entries behind them. Holds are not tallied, so they are looked for from the
 * oldest that was open then.
 */
export function loadBooks(books: Books, tallies: TallyTable, entries: EntryTable): void {
  const { asOfId, oldestOpenId } = tallies.readInto(books);
  let lastId = Math.min(asOfId, oldestOpenId - 1);
  for (let page = entries.after(lastId, PAGE); page.length > 0; page = entries.after(lastId, PAGE)) {
    for (const entry of page) {
      if (entry.id > asOfId) books.add(entry);
      else if (entry.kind === "hold") books.hold(entry);
      else if (entry.kind === "settle" || entry.kind === "release") books.unhold(entry.requestId);
    }
    lastId = page.at(-1)!.id;
  }
  books.lastId = lastId;
}

/** All charges between two moments: those in the database, and those that wait for it. A commit may fail and be there all the same. */
export function* readCharges(entries: EntryTable, waiting: readonly Entry[], fromMs: number, toMs: number): Generator<Charge> {
  yield* entries.chargesBetween(fromMs, toMs);
  const { lastId } = entries;
  for (const entry of waiting) {
    if (entry.id > lastId && entry.kind === "settle" && entry.atMs >= fromMs && entry.atMs < toMs) yield entry;
  }
}
