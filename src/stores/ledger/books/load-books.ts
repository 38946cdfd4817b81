import type { Entry } from "../../../money/ledger-entry.ts";
import type { Books } from "./books.ts";
import type { Charge } from "./past-period-spending.ts";
import type { EntryTable } from "../tables/entry-table.ts";
import type { TallyTable } from "../tables/tally-table.ts";

const PAGE = 1000;

/**
 * Loads the books at startup, from the stored tallies and the entries after them. Open holds are not stored, so entries are read from the
 * oldest open hold on.
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

/**
 * All charges between two times, in the database and pending. A pending charge may be in the database already, after a commit that reported
 * an error but was durable.
 */
export function* readCharges(entries: EntryTable, waiting: readonly Entry[], fromMs: number, toMs: number): Generator<Charge> {
  yield* entries.chargesBetween(fromMs, toMs);
  const { lastId } = entries;
  for (const entry of waiting) {
    if (entry.id > lastId && entry.kind === "settle" && entry.atMs >= fromMs && entry.atMs < toMs) yield entry;
  }
}
