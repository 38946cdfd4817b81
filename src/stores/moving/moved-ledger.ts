import type { Tally } from "../../money/tally.ts";
import { Books } from "../ledger/books/books.ts";
import { entryFromRow, type EntryRow } from "../ledger/records/entry-columns.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";
import type { MovedRow, MovedTable } from "./moved-table.ts";

/** Amounts stay text, because they may exceed the exact range of a JavaScript number. */
const AMOUNTS = new Set(["amount_nanos", "uncharged_nanos"]);

const ADD_PURSES = `insert into purses (scope, id, credit_nanos, day, day_nanos, month, month_nanos, total_nanos, previous_day,
    previous_day_nanos, previous_month, previous_month_nanos)
  select * from json_to_recordset($1::text::json) as given (scope text, id text, credit_nanos bigint, day integer, day_nanos bigint,
    month integer, month_nanos bigint, total_nanos bigint, previous_day integer, previous_day_nanos bigint, previous_month integer,
    previous_month_nanos bigint)`;
const PURSES_AT_ONCE = 1000;

/**
 * Data that follows from the entries that are moved into PostgreSQL: the sums of accounts and keys, the last id, and the number of entries
 * of each account.
 */
export class MovedLedger {
  readonly #books = new Books(() => []);
  readonly #entriesOf = new Map<string, number>();
  readonly #columns: MovedTable["columns"];

  constructor({ columns }: MovedTable) {
    this.#columns = columns;
  }

  get entriesOf(): ReadonlyMap<string, number> {
    return this.#entriesOf;
  }

  get lastId(): number {
    return this.#books.lastId;
  }

  /** Holds whose request has not ended. A folder that was opened and cleanly closed has none. */
  get openHolds(): number {
    return this.#books.open.size;
  }

  add(row: MovedRow): void {
    const fields = this.#columns.map(({ name, type }, at) => [name, !AMOUNTS.has(name) && type !== "text" ? toNumber(row[at]!) : row[at]!]);
    const entry = entryFromRow(Object.fromEntries(fields) as EntryRow);
    this.#books.add(entry);
    this.#entriesOf.set(entry.accountId, (this.#entriesOf.get(entry.accountId) ?? 0) + 1);
  }

  /** Writes the sums and the last id. */
  async write(on: Pick<PostgresPool, "query">): Promise<void> {
    const { account, key } = this.#books.tallies;
    const rows = [...account.values(), ...key.values()].map(toPurse);
    for (let at = 0; at < rows.length; at += PURSES_AT_ONCE) {
      await on.query(ADD_PURSES, [JSON.stringify(rows.slice(at, at + PURSES_AT_ONCE))]);
    }
    await on.query("update ledger_head set last_id = $1::bigint", [this.lastId]);
  }
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** Amounts as text: JSON has no integers of 64 bits. */
function toPurse({ scope, id, creditNanos, days, months, totalNanos }: Tally): object {
  return {
    scope,
    id,
    credit_nanos: String(creditNanos),
    day: days.latest,
    day_nanos: String(days.latestNanos),
    month: months.latest,
    month_nanos: String(months.latestNanos),
    total_nanos: String(totalNanos),
    previous_day: days.previous,
    previous_day_nanos: String(days.previousNanos),
    previous_month: months.previous,
    previous_month_nanos: String(months.previousNanos),
  };
}
