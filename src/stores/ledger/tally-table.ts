import type { Database as SqliteFile } from "bun:sqlite";
import { Tally, type Spender } from "../../vocabulary/tally.ts";
import type { Books } from "./books.ts";

interface TallyRow {
  scope: Spender;
  id: string;
  credit_nanos: string;
  day: number;
  day_nanos: string;
  month: number;
  month_nanos: string;
  total_nanos: string;
}

/** Entries between two times the tallies are written: what a start has to add up at most, besides what was open. */
const WRITE_EVERY = 4096;

/** Up to which entry the tallies count, and the oldest entry that is still an open hold there. */
export interface AsOf {
  readonly asOfId: number;
  readonly oldestOpenId: number;
}

/**
 * The books as they stood at some entry, so that a start need not add up everything since the beginning. They follow from the
 * entries; the auditor does not look at them.
 */
export class TallyTable {
  readonly #file: SqliteFile;
  /** The entry up to which they count. */
  #asOfId = 0;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Fills empty books. */
  readInto(books: Books): AsOf {
    const sql = `select scope, id, cast(credit_nanos as text) as credit_nanos, day, cast(day_nanos as text) as day_nanos, month,
      cast(month_nanos as text) as month_nanos, cast(total_nanos as text) as total_nanos from tallies`;
    for (const row of this.#file.query<TallyRow, []>(sql).all()) books.tallies[row.scope].set(row.id, fromRow(row));
    const asOf = this.#file.query<{ as_of_id: number; oldest_open_id: number }, []>("select as_of_id, oldest_open_id from tallied").get();
    this.#asOfId = asOf?.as_of_id ?? 0;
    return { asOfId: this.#asOfId, oldestOpenId: asOf?.oldest_open_id ?? 1 };
  }

  isDue({ lastId }: Books): boolean {
    return lastId - this.#asOfId >= WRITE_EVERY;
  }

  /** Writes what has changed. Every entry of the books must be in the database. */
  write(books: Books): void {
    try {
      this.#file.transaction(() => this.#writeAll(books))();
      this.#asOfId = books.lastId;
      books.changed.clear();
    } catch {
      // It is only a shortcut for the next start; the next group of entries tries again.
    }
  }

  #writeAll(books: Books): void {
    const replace = this.#file.query("insert or replace into tallies values (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const { scope, id, creditNanos, day, dayNanos, month, monthNanos, totalNanos } of books.changed) {
      replace.run(scope, id, creditNanos, day, dayNanos, month, monthNanos, totalNanos);
    }
    const [oldestOpen] = books.open.values();
    this.#file
      .query("insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ?, ?)")
      .run(books.lastId, oldestOpen?.id ?? books.lastId + 1);
  }
}

function fromRow(row: TallyRow): Tally {
  return Object.assign(new Tally(row.scope, row.id), {
    creditNanos: BigInt(row.credit_nanos),
    day: row.day,
    dayNanos: BigInt(row.day_nanos),
    month: row.month,
    monthNanos: BigInt(row.month_nanos),
    totalNanos: BigInt(row.total_nanos),
  });
}
