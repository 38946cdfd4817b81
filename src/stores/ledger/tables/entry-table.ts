import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Charge } from "../books/past-period-spending.ts";
import type { RequestRecord } from "../ledger-record-store.ts";
import { COLUMNS_OF_KIND, ENTRY_COLUMNS, entryFromRow, writeEntry, type EntryRow } from "../records/entry-columns.ts";

const NANOS_PER_DOLLAR = 1_000_000_000n;

/** The table `entries` in the embedded database, written and read within one turn of the event loop. */
export class EntryTable {
  readonly #file: SqliteFile;
  /** Statements are prepared once for each kind of entry, because every request writes two rows. */
  readonly #inserts: Partial<Record<Entry["kind"], Statement>> = {};
  readonly #findEnd: Statement<unknown, [string]>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#findEnd = file.query("select 1 from entries where request_id = ? and kind in ('settle', 'release')");
  }

  insert(entry: Entry): void {
    const insert = (this.#inserts[entry.kind] ??= this.#prepareInsert(COLUMNS_OF_KIND[entry.kind]));
    writeEntry(entry, insert);
  }

  get lastId(): number {
    return this.#file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  }

  get highestEndedRequestId(): string {
    const sql = "select max(request_id) as id from entries where kind in ('settle', 'release')";
    return this.#file.query<{ id: string | null }, []>(sql).get()?.id ?? "";
  }

  after(id: number, limit: number): Entry[] {
    return this.#all("where id > ? order by id limit ?", [id, limit]);
  }

  /** The charges of each key from one moment to before another. Dollars and nanos are summed separately, so that neither sum overflows. */
  chargesBetween(fromMs: number, toMs: number): Charge[] {
    const sql = `select account_id, key_id, cast(sum(amount_nanos / ${NANOS_PER_DOLLAR}) as text) as dollars,
      cast(sum(amount_nanos % ${NANOS_PER_DOLLAR}) as text) as nanos from entries not indexed
      where kind = 'settle' and at_ms >= ? and at_ms < ? group by 1, 2`;
    const rows = this.#file.query<Record<"account_id" | "key_id" | "dollars" | "nanos", string>, [number, number]>(sql).all(fromMs, toMs);
    return rows.map(({ account_id: accountId, key_id: keyId, dollars, nanos }) => {
      return { accountId, keyId, amountNanos: BigInt(dollars) * NANOS_PER_DOLLAR + BigInt(nanos) };
    });
  }

  findCredit(accountId: string, reference: string): CreditEntry | undefined {
    const [entry] = this.#all("where account_id = ? and reference = ?", [accountId, reference]);
    return entry as CreditEntry | undefined;
  }

  hasEnd(requestId: string): boolean {
    return this.#findEnd.get(requestId) !== null;
  }

  findClosed(requestId: string): RequestRecord | undefined {
    const [closing] = this.#all("where request_id = ? and kind in ('settle', 'release')", [requestId]) as (SettleEntry | ReleaseEntry)[];
    const [hold] = closing ? (this.#all("where id = ?", [closing.holdId]) as HoldEntry[]) : [];
    return hold && { hold, closing };
  }

  #all(rest: string, parameters: readonly (string | number)[]): Entry[] {
    const sql = `select ${ENTRY_COLUMNS} from entries ${rest}`;
    return this.#file
      .query<EntryRow, (string | number)[]>(sql)
      .all(...parameters)
      .map(entryFromRow);
  }

  #prepareInsert(columns: readonly string[]): Statement {
    // `query`, not `prepare`: closing the file finalizes its statements, while a prepared statement would keep the file open.
    return this.#file.query(`insert into entries (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`);
  }
}
