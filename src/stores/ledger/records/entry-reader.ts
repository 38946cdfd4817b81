import type { CreditEntry, Entry, HoldEntry, ListedEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { EntriesOfEndUser, RequestRecord } from "../ledger-record-store.ts";
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-columns.ts";
import { Parameters, type LedgerRows } from "./ledger-rows.ts";

/** The number of entries of an account up to an id. */
interface Counted {
  readonly id: number;
  readonly count: number;
}

const NONE: Counted = { id: 0, count: 0 };

/** Reads entries from either database. */
export class EntryReader {
  readonly #rows: LedgerRows;
  /** The latest count of each account: only later entries are counted again. */
  readonly #counted = new Map<string, Counted>();

  constructor(rows: LedgerRows) {
    this.#rows = rows;
  }

  after(id: number, limit: number): Promise<Entry[]> {
    return this.#read("where id > $1 order by id limit $2", [id, limit]);
  }

  /** The entries of an account without holds: the account index does not include holds, and each hold is shown with its closing entry. */
  async ofAccount(accountId: string, beforeId: number, limit: number): Promise<ListedEntry[]> {
    const rest = "where account_id = $1 and kind <> 'hold' and id < $2 order by id desc limit $3";
    return (await this.#read(rest, [accountId, beforeId, limit])) as ListedEntry[];
  }

  async findCredit(accountId: string, reference: string): Promise<CreditEntry | undefined> {
    const [entry] = await this.#read("where account_id = $1 and reference = $2", [accountId, reference]);
    return entry as CreditEntry | undefined;
  }

  /** A request that has ended: its hold is found through its closing entry. */
  async findClosed(requestId: string): Promise<RequestRecord | undefined> {
    const [closing] = await this.#read("where request_id = $1 and kind in ('settle', 'release')", [requestId]);
    const hold = closing && (await this.findHold((closing as SettleEntry | ReleaseEntry).holdId));
    return hold && { hold, closing: closing as SettleEntry | ReleaseEntry };
  }

  async findHold(id: number): Promise<HoldEntry | undefined> {
    const [entry] = await this.#read("where id = $1", [id]);
    return entry?.kind === "hold" ? entry : undefined;
  }

  /**
   * Scans a slice of ids: there is no index by end user, because maintaining it would cost each request more than the scan costs an export.
   */
  async ofEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser> {
    const toId = Math.min(afterId + 2 * this.#rows.sliceSize, await this.#rows.lastId());
    const parameters = new Parameters();
    const rest = `${this.#rows.inIdOrder} where id > ${parameters.add(afterId)} and id <= ${parameters.add(toId)}
      and account_id = ${parameters.add(accountId)} and attribution is not null
      and ${this.#rows.jsonText("attribution", "user")} in ${parameters.addAll(users)} order by id`;
    return { entries: await this.#read(rest, parameters.values), toId: toId > afterId ? toId : undefined };
  }

  /**
   * The number of an entry among the entries of its account: 1, 2, 3 and so on, without holds. Entries are never deleted, so it is the count
   * of entries up to this one. They are counted by index, in slices, when a list is read, so requests do not pay for it.
   */
  async numberOf(accountId: string, id: number): Promise<number> {
    const size = 10 * this.#rows.sliceSize;
    const sql = `select count(*) as count, max(id) as id
      from (select id from entries where account_id = $1 and kind <> 'hold' and id > $2 and id <= $3 order by id limit ${size}) as slice`;
    let counted = this.#counted.get(accountId) ?? NONE;
    if (counted.id > id) counted = NONE;
    for (;;) {
      const [slice] = await this.#rows.all<{ count: number; id: number | null }>(sql, [accountId, counted.id, id]);
      counted = { id: slice!.id ?? counted.id, count: counted.count + slice!.count };
      if (slice!.count < size) break;
      await this.#rows.yieldAfterSlice();
    }
    if (counted.id > (this.#counted.get(accountId) ?? NONE).id) this.#counted.set(accountId, counted);
    return counted.count;
  }

  /** Forgets the counts, because the entries may have been replaced. */
  forgetCounts(): void {
    this.#counted.clear();
  }

  async #read(rest: string, parameters: readonly unknown[]): Promise<Entry[]> {
    const rows = await this.#rows.all<EntryRow>(`select ${ENTRY_COLUMNS} from entries ${rest}`, parameters);
    return rows.map(entryFromRow);
  }
}
