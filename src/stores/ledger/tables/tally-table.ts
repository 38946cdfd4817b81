import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { breakdownKey, readBreakdownKey, type Breakdown } from "../../../money/breakdown.ts";
import { monthAt, PeriodSums } from "../../../money/period-sums.ts";
import { purseKey, type Purse, type PurseScope } from "../../../money/purse.ts";
import { Tally, type Spender } from "../../../money/tally.ts";
import type { Books } from "../books/books.ts";
import type { CountedSpending } from "../ledger-record-store.ts";
import type { BreakdownTally } from "../books/breakdown-tallies.ts";
import { transactSoon } from "../erasure/transact-soon.ts";

/** A row of the tallies. The day and the month are the latest ones with a charge. */
interface TallyRow<Scope extends PurseScope = Spender> {
  scope: Scope;
  id: string;
  credit_nanos: string;
  day: number;
  day_nanos: string;
  month: number;
  month_nanos: string;
  total_nanos: string;
}

/** Entries between two writes: the maximum number of entries that a start has to add up, besides the entries since the oldest open hold. */
const WRITE_EVERY = 4096;

/** The last entry that the tallies include, and the oldest hold that was open at that entry. */
interface TallyPosition {
  readonly asOfId: number;
  readonly oldestOpenId: number;
}

const COLUMNS = `scope, id, cast(credit_nanos as text) as credit_nanos, day, cast(day_nanos as text) as day_nanos, month,
  cast(month_nanos as text) as month_nanos, cast(total_nanos as text) as total_nanos`;
/** The scope of rows that mark a breakdown as counted. The id of such a row is the key of the breakdown. */
const COUNTED = "counted";
const OF_BREAKDOWNS = "scope in ('user', 'tag')";

/**
 * A snapshot of the books, so that a start need not add up all entries. Derived data: the auditor does not use it. Tallies of end users and
 * tags are stored only here, unless they have changed since the last write.
 */
export class TallyTable {
  readonly #file: SqliteFile;
  /** The last entry that the snapshot includes. */
  #asOfId = 0;
  /** The month before which tallies of end users and tags were deleted. */
  #deletedMonth = 0;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Loads the snapshot into empty books. */
  readInto(books: Books): TallyPosition {
    const sql = `select ${COLUMNS} from tallies where scope in ('account', 'key')`;
    for (const row of this.#file.query<TallyRow, []>(sql).all()) books.tallies[row.scope].set(row.id, fromRow(row));
    const counted = this.#file.query<{ id: string }, [string]>("select id from tallies where scope = ?").all(COUNTED);
    for (const { id } of counted) books.breakdowns.counted.add(readBreakdownKey(id));
    const asOf = this.#file.query<{ as_of_id: number; oldest_open_id: number }, []>("select as_of_id, oldest_open_id from tallied").get();
    this.#asOfId = asOf?.as_of_id ?? 0;
    return { asOfId: this.#asOfId, oldestOpenId: asOf?.oldest_open_id ?? 1 };
  }

  /** The tally of an end user or a tag at the last write. */
  find({ scope, id }: Purse): BreakdownTally | undefined {
    const sql = `select ${COLUMNS} from tallies where scope = ? and id = ?`;
    const row = this.#file.query<TallyRow<PurseScope>, [string, string]>(sql).get(scope, id);
    return row ? fromRow(row) : undefined;
  }

  /** The spending of all end users and tags that are counted: the last written tallies, updated by later changes. */
  countedIn({ breakdowns }: Books): readonly CountedSpending[] {
    const rows = this.#file.query<TallyRow<PurseScope>, []>(`select ${COLUMNS} from tallies where ${OF_BREAKDOWNS}`).all();
    const tallies = new Map([...rows.map(fromRow), ...breakdowns.all()].map((tally) => [purseKey(tally), tally]));
    return [...tallies.values()].filter((tally) => breakdowns.counted.has(tally)).map(toCounted);
  }

  /**
   * Stores the sums of a breakdown that is not counted yet, in slices. The sums are from a different moment than the rest of the table, so they
   * may not count before the next `write`, even if an earlier write of the list has failed.
   */
  async store(breakdown: Breakdown, tallies: readonly BreakdownTally[], atOnce: number): Promise<void> {
    const uncount = this.#file.query("delete from tallies where scope = ? and id = ?");
    await transactSoon(this.#file, () => uncount.run(COUNTED, breakdownKey(breakdown)));
    for (let first = 0; first < tallies.length; first += atOnce) {
      if (first > 0) await nextTurn();
      await transactSoon(this.#file, () => this.#replace(tallies.slice(first, first + atOnce)));
    }
  }

  /**
   * Whether a write is due. It is due at once if the list of breakdowns has changed: until it is written, a start would add the breakdowns
   * up again.
   */
  isDue({ lastId, breakdowns }: Books): boolean {
    return lastId - this.#asOfId >= WRITE_EVERY || breakdowns.isChanged;
  }

  /** Writes changed tallies. Every entry of the books must be in the database. Never throws. */
  write(books: Books, nowMs: number): void {
    try {
      this.#file.transaction(() => this.#writeAll(books, nowMs))();
      this.#asOfId = books.lastId;
      this.#deletedMonth = monthAt(nowMs);
      books.changed.clear();
      books.breakdowns.written();
    } catch {
      // Ignored: the snapshot only speeds up the next start, and the next group of entries writes it again.
    }
  }

  #writeAll(books: Books, nowMs: number): void {
    this.#replace(books.changed);
    if (books.breakdowns.isChanged) this.#writeCounted(books);
    const month = monthAt(nowMs);
    if (month !== this.#deletedMonth) this.#file.query(`delete from tallies where ${OF_BREAKDOWNS} and month < ?`).run(month);
    const [oldestOpen] = books.open.values();
    this.#file
      .query("insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ?, ?)")
      .run(books.lastId, oldestOpen?.id ?? books.lastId + 1);
  }

  #replace(tallies: Iterable<Tally<PurseScope>>): void {
    const replace = this.#file.query("insert or replace into tallies values (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const { scope, id, creditNanos, days, months, totalNanos } of tallies) {
      replace.run(scope, id, creditNanos, days.latest, days.latestNanos, months.latest, months.latestNanos, totalNanos);
    }
  }

  #writeCounted({ breakdowns }: Books): void {
    this.#file.query("delete from tallies where scope = ?").run(COUNTED);
    const insert = this.#file.query("insert into tallies values (?, ?, 0, 0, 0, 0, 0, 0)");
    for (const breakdown of breakdowns.counted.all()) insert.run(COUNTED, breakdownKey(breakdown));
  }
}

function fromRow<Scope extends PurseScope>(row: TallyRow<Scope>): Tally<Scope> {
  const days = new PeriodSums(row.day, BigInt(row.day_nanos));
  const months = new PeriodSums(row.month, BigInt(row.month_nanos));
  const sums = { creditNanos: BigInt(row.credit_nanos), totalNanos: BigInt(row.total_nanos) };
  return Object.assign(new Tally(row.scope, row.id, days, months), sums);
}

function toCounted({ scope, id, days, months }: BreakdownTally): CountedSpending {
  return { purse: { scope, id }, day: days.latest, dayNanos: days.latestNanos, month: months.latest, monthNanos: months.latestNanos };
}
