import type { Database as SqliteFile } from "bun:sqlite";
import { PeriodSums } from "../../../money/period-sums.ts";
import { Tally, type Spender } from "../../../money/tally.ts";
import type { Books } from "../books/books.ts";

/** The day and the month are the latest ones with a charge. */
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

/** Entries between two writes: what a start has to add up at most, besides the entries since the oldest open hold. */
const WRITE_EVERY = 4096;

/** The last entry that the tallies include, and the oldest hold that was open then. */
export interface AsOf {
  readonly asOfId: number;
  readonly oldestOpenId: number;
}

/** A snapshot of the books, so that a start need not add up all entries. Derived data: the auditor does not use it. */
export class TallyTable {
  readonly #file: SqliteFile;
  /** The last entry that the snapshot includes. */
  #asOfId = 0;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Loads the snapshot into empty books. */
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

  /** Writes changed tallies. Every entry of the books must be in the database. Never throws. */
  write(books: Books): void {
    try {
      this.#file.transaction(() => this.#writeAll(books))();
      this.#asOfId = books.lastId;
      books.changed.clear();
    } catch {
      // Ignored: it only speeds up the next start, and the next group of entries writes it again.
    }
  }

  #writeAll(books: Books): void {
    const replace = this.#file.query("insert or replace into tallies values (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const { scope, id, creditNanos, days, months, totalNanos } of books.changed) {
      replace.run(scope, id, creditNanos, days.latest, days.latestNanos, months.latest, months.latestNanos, totalNanos);
    }
    const [oldestOpen] = books.open.values();
    this.#file
      .query("insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ?, ?)")
      .run(books.lastId, oldestOpen?.id ?? books.lastId + 1);
  }
}

function fromRow(row: TallyRow): Tally {
  const days = new PeriodSums(row.day, BigInt(row.day_nanos));
  const months = new PeriodSums(row.month, BigInt(row.month_nanos));
  const sums = { creditNanos: BigInt(row.credit_nanos), totalNanos: BigInt(row.total_nanos) };
  return Object.assign(new Tally(row.scope, row.id, days, months), sums);
}
