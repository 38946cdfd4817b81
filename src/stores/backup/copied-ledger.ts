import type { Database as SqliteFile } from "bun:sqlite";
import { Books } from "../ledger/books/books.ts";
import { BreakdownTallies } from "../ledger/books/breakdown-tallies.ts";
import { loadBooks } from "../ledger/books/load-books.ts";
import type { LedgerRecordStore } from "../ledger/ledger-record-store.ts";
import { EntryTable } from "../ledger/tables/entry-table.ts";
import { findPrice } from "../ledger/records/prices.ts";
import { SqliteRows } from "../ledger/records/sqlite-rows.ts";
import { TallyTable } from "../ledger/tables/tally-table.ts";

/** The ledger in a database that no process writes, for the auditor. The sums are the same as after a start. */
export function openCopiedLedger(file: SqliteFile): Pick<LedgerRecordStore, "entriesAfter" | "balances" | "price"> {
  const entries = new EntryTable(file);
  const rows = new SqliteRows(file);
  const tallies = new TallyTable(file);
  const books = new Books(() => [], new BreakdownTallies({ find: (purse) => tallies.find(purse), addUp: async () => new Map() }));
  loadBooks(books, tallies, entries);
  return {
    entriesAfter: async (afterId, limit) => entries.after(afterId, limit),
    balances: async () => ({ ...books.balances(), breakdowns: tallies.countedIn(books) }),
    price: (version) => findPrice(rows, version),
  };
}
