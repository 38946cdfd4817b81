import type { FailedAttempt } from "../../../src/money/failed-attempt.ts";
import type { EntryOfRequest, HoldEntry, SettleEntry } from "../../../src/money/ledger-entry.ts";
import type { Spending, Tally } from "../../../src/money/tally.ts";
import { makeRelease, makeSettlement } from "../../../src/stores/ledger/books/closing-entries.ts";
import type { Balance, LedgerState, LedgerStore, NewHold, Settlement } from "../../../src/stores/ledger/ledger-store.ts";
import {
  ENTRY_COLUMNS,
  entryFromRow,
  SENT_COLUMNS,
  SENT_NAMES,
  toSentRow,
  type EntryRow,
} from "../../../src/stores/ledger/records/entry-columns.ts";
import { PostgresRows } from "../../../src/stores/ledger/records/postgres-rows.ts";
import { PURSE_COLUMNS, toTally, type PurseRow } from "../../../src/stores/ledger/postgres-records/purse-rows.ts";
import type { PostgresConnection, PostgresPool } from "../../../src/stores/postgres/postgres-pool.ts";

/** An entry to be written. Its ID, and the charge, are known after it is written. */
interface Draft {
  readonly hold: Hold;
  readonly make: (id: number, account: Tally) => EntryOfRequest;
}

type Hold = NewHold & { id: number };

/**
 * Writes the entries of requests into PostgreSQL, for tests of code that reads them. It is not a ledger for real requests: nothing is
 * checked, entries are queued until `flush` and share a transaction, and a settlement is returned without its id and its charge.
 */
export class PostgresTestLedger implements LedgerStore {
  readonly leases = undefined;
  readonly #pool: PostgresPool;
  readonly #open = new Map<string, Hold>();
  #drafts: Draft[] = [];
  #flushing: Promise<void> = Promise.resolve();

  private constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Opens the ledger as after the end of a process: its open holds are released. */
  static async open(pool: PostgresPool, nowMs: number): Promise<PostgresTestLedger> {
    const ledger = new PostgresTestLedger(pool);
    const sql = `select ${ENTRY_COLUMNS} from entries where id in (select hold_id from open_holds) order by id`;
    const holds = (await new PostgresRows(pool).all<EntryRow>(sql)).map((row) => entryFromRow(row) as HoldEntry);
    for (const hold of holds) ledger.#open.set(hold.requestId, hold);
    for (const { requestId } of holds) ledger.release(requestId, "the gateway ended before the answer did", nowMs);
    await ledger.flush();
    return ledger;
  }

  async hold(newHold: NewHold): Promise<void> {
    const hold = { ...newHold, id: 0 };
    this.#open.set(hold.requestId, hold);
    this.#drafts.push({ hold, make: (id) => ({ kind: "hold", ...Object.assign(hold, { id }) }) });
  }

  ensureCounted(): undefined {
    return undefined;
  }

  async settle(requestId: string, settlement: Settlement): Promise<SettleEntry> {
    const hold = this.#end(requestId);
    const entry = (id: number, charge: bigint): SettleEntry => makeSettlement(id, { kind: "hold", ...hold }, settlement, charge);
    this.#drafts.push({ hold, make: (id, account) => entry(id, chargeFor(hold, settlement, account)) });
    return entry(0, 0n);
  }

  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    const hold = this.#end(requestId);
    this.#drafts.push({ hold, make: (id) => makeRelease(id, { kind: "hold", ...hold }, reason, atMs, failedAttempts) });
  }

  /** Writes the queued entries. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flush());
    return this.#flushing;
  }

  balanceOf(): Balance {
    throw new Error("read elsewhere");
  }

  spendingOf(): Spending {
    throw new Error("read elsewhere");
  }

  watch(): void {}

  async findReply(): Promise<undefined> {}

  state(): LedgerState {
    return { openHolds: this.#open.size, heldNanos: 0n, unwrittenEntries: this.#drafts.length, failure: undefined };
  }

  #end(requestId: string): Hold {
    const hold = this.#open.get(requestId);
    if (!hold) throw new Error(`${requestId} has no open hold`);
    this.#open.delete(requestId);
    return hold;
  }

  async #flush(): Promise<void> {
    const drafts = this.#drafts;
    this.#drafts = [];
    if (drafts.length > 0) await this.#pool.transaction((connection) => write(connection, drafts));
  }
}

async function write(connection: PostgresConnection, drafts: readonly Draft[]): Promise<void> {
  const tallies = await lockPurses(connection, drafts);
  const takeIds = "update ledger_head set last_id = last_id + $1 returning last_id";
  const [head] = await connection.query<{ last_id: bigint }>(takeIds, [drafts.length]);
  const firstId = Number(head!.last_id) - drafts.length + 1;
  const entries = drafts.map(({ hold, make }, at) => {
    const [account, key] = [tallies.get(`account ${hold.accountId}`)!, tallies.get(`key ${hold.keyId}`)!];
    const entry = make(firstId + at, account);
    account.heldNanos += entry.kind === "hold" ? hold.amountNanos : -hold.amountNanos;
    if (entry.kind === "settle") {
      account.creditNanos -= entry.amountNanos;
      for (const tally of [account, key]) tally.spend(entry.amountNanos, entry.atMs);
    }
    return entry;
  });
  await Promise.all([writeEntries(connection, entries), writePurses(connection, [...tallies.values()])]);
}

async function lockPurses(connection: PostgresConnection, drafts: readonly Draft[]): Promise<Map<string, Tally>> {
  const names = [
    ["account", new Set(drafts.map(({ hold }) => hold.accountId))],
    ["key", new Set(drafts.map(({ hold }) => hold.keyId))],
  ] as const;
  const scopes = names.flatMap(([scope, ids]) => [...ids].map(() => scope));
  const listed = [scopes, names.flatMap(([, ids]) => [...ids])];
  const isListed = "(scope, id) in (select * from unnest($1::text[], $2::text[]))";
  const [, rows, held] = await Promise.all([
    connection.query(
      "insert into purses (scope, id) select * from unnest($1::text[], $2::text[]) order by 1, 2 on conflict do nothing",
      listed,
    ),
    connection.query<PurseRow>(`select ${PURSE_COLUMNS} from purses where ${isListed} order by scope, id for update`, listed),
    connection.query<{ id: string; held: string }>("select account_id as id, sum(amount_nanos)::text as held from open_holds group by 1"),
  ]);
  const tallies = new Map(rows.map((row) => [`${row.scope} ${row.id}`, toTally(row)]));
  for (const row of held) Object.assign(tallies.get(`account ${row.id}`) ?? {}, { heldNanos: BigInt(row.held) });
  return tallies;
}

async function writeEntries(connection: PostgresConnection, entries: readonly EntryOfRequest[]): Promise<void> {
  const rows = `json_to_recordset($1::text::json) as r(id bigint, hold_id bigint, ${SENT_COLUMNS})`;
  const names = `id, hold_id, ${SENT_NAMES}`;
  const json = JSON.stringify(entries.map(toSentRow));
  const ended = entries.filter(({ kind }) => kind !== "hold").map(({ requestId }) => requestId);
  await Promise.all([
    connection.query(`insert into entries (${names}) select ${names} from ${rows}`, [json]),
    connection.query(
      `insert into open_holds (request_id, instance_id, hold_id, account_id, key_id, amount_nanos)
      select request_id, 'test', id, account_id, key_id, amount_nanos from ${rows}
      where kind = 'hold'`,
      [json],
    ),
    connection.query("delete from open_holds where request_id = any($1::text[])", [ended]),
  ]);
}

async function writePurses(connection: PostgresConnection, tallies: readonly Tally[]): Promise<void> {
  await connection.query(
    `update purses set credit_nanos = t.credit, day = t.day, day_nanos = t.day_nanos, month = t.month, month_nanos = t.month_nanos,
      total_nanos = t.total
    from unnest($1::text[], $2::text[], $3::text[]::bigint[], $4::integer[], $5::text[]::bigint[], $6::integer[], $7::text[]::bigint[],
      $8::text[]::bigint[]) as t(scope, id, credit, day, day_nanos, month, month_nanos, total)
    where purses.scope = t.scope and purses.id = t.id`,
    [
      tallies.map(({ scope }) => scope),
      tallies.map(({ id }) => id),
      tallies.map(({ creditNanos }) => String(creditNanos)),
      tallies.map(({ days }) => days.latest),
      tallies.map(({ days }) => String(days.latestNanos)),
      tallies.map(({ months }) => months.latest),
      tallies.map(({ months }) => String(months.latestNanos)),
      tallies.map(({ totalNanos }) => String(totalNanos)),
    ],
  );
}

/** As in the books: a cost above the hold is charged, up to the caller's limit, unless the account is in debt. */
function chargeFor(hold: Hold, { costNanos, capNanos }: Settlement, { creditNanos, heldNanos }: Tally): bigint {
  if (costNanos <= hold.amountNanos) return costNanos;
  if (creditNanos - heldNanos < 0n) return hold.amountNanos;
  return capNanos !== undefined && capNanos < costNanos ? capNanos : costNanos;
}
