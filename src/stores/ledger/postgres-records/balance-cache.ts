import type { Nanos } from "../../../money/money.ts";
import { Tally, type Spender, type Spending } from "../../../money/tally.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ChangedSpender } from "../ledger-record-store.ts";
import type { Balance } from "../ledger-store.ts";
import { readHeldAmounts, readPurses, readPursesChangedIn, toTally, type HeldAmounts, type PurseRow } from "./purse-rows.ts";
import { readSnapshot } from "./read-snapshot.ts";

/**
 * The maximum number of new entries that are searched for changed purses. If there are more, as after a lost connection, all purses are
 * read again.
 */
const MAX_NEW_ENTRIES = 50_000;

/** A position in the ledger. After the database was restored to an earlier state, the digest of its entry differs. */
interface Position {
  readonly entryId: number;
  readonly digest: string | null;
}

interface HeadRow {
  readonly last_id: bigint;
  readonly digest: string | null;
  readonly seen_digest: string | null;
}

const NOTHING_HELD: HeldAmounts = { account: new Map(), key: new Map() };

/**
 * A copy in memory of the balances and the spending of all accounts and keys. Changed purses are found through the new entries: an index on
 * a version of the purses would have to be written with every charge. Spending in days and months before the two latest ones with charges
 * is not known here, and is reported as zero.
 */
export class BalanceCache {
  readonly #pool: PostgresPool;
  readonly #restored: () => void;
  readonly #tallies = { account: new Map<string, Tally>(), key: new Map<string, Tally>() };
  #held = NOTHING_HELD;
  #seen: Position = { entryId: 0, digest: null };
  #moved = new Map<string, ChangedSpender>();
  #reading: Promise<void> | undefined;

  /** `restored` is called if the database differs from the one read before: cached facts about its entries may be wrong. */
  constructor(pool: PostgresPool, restored: () => void) {
    this.#pool = pool;
    this.#restored = restored;
  }

  /** Reads everything for the first time. */
  async load(): Promise<void> {
    await this.refresh();
    this.#moved.clear();
  }

  /** Reads all changes. Concurrent callers share a query that starts after all of them have called. */
  async refresh(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  balanceOf(accountId: string): Balance {
    const creditNanos = this.#tallies.account.get(accountId)?.creditNanos ?? 0n;
    return { creditNanos, heldNanos: this.#heldBy("account", accountId) };
  }

  spendingOf(scope: Spender, id: string, nowMs: number): Spending {
    const tally = this.#tallies[scope].get(id) ?? new Tally(scope, id);
    return { ...tally.spendingAt(nowMs), heldNanos: this.#heldBy(scope, id) };
  }

  takeChangedSpenders(): readonly ChangedSpender[] {
    const moved = [...this.#moved.values()];
    this.#moved = new Map();
    return moved;
  }

  async #refresh(): Promise<void> {
    const { entryId, digest } = this.#seen;
    const { head, rows, held, isAll } = await readSnapshot(this.#pool, async (connection) => {
      const [position, changed, reserved] = await Promise.all([
        readHead(connection, entryId),
        entryId === 0 ? undefined : readPursesChangedIn(connection, entryId + 1, entryId + MAX_NEW_ENTRIES),
        readHeldAmounts(connection),
      ]);
      const isFar = Number(position.last_id) - entryId > MAX_NEW_ENTRIES;
      const isKnown = changed !== undefined && !isFar && position.seen_digest === digest;
      return { head: position, rows: isKnown ? changed : await readPurses(connection), held: reserved, isAll: !isKnown };
    });
    if (head.seen_digest !== digest) this.#restored();
    if (isAll) this.#forgetOthers(rows);
    for (const row of rows) this.#put(row);
    this.#held = held;
    this.#seen = { entryId: Number(head.last_id), digest: head.digest };
  }

  #put(row: PurseRow): void {
    const { scope, id } = row;
    const known = this.#tallies[scope].get(id);
    const tally = toTally(row);
    this.#tallies[scope].set(id, tally);
    if (known?.creditNanos !== tally.creditNanos || known.totalNanos !== tally.totalNanos) this.#moved.set(`${scope} ${id}`, { scope, id });
  }

  /** Forgets purses that are gone, after all purses were read again: the database may have been restored. */
  #forgetOthers(rows: readonly PurseRow[]): void {
    const left = new Set(rows.map(({ scope, id }) => `${scope} ${id}`));
    for (const scope of ["account", "key"] as const) {
      for (const id of this.#tallies[scope].keys()) {
        if (left.has(`${scope} ${id}`)) continue;
        this.#tallies[scope].delete(id);
        this.#moved.set(`${scope} ${id}`, { scope, id });
      }
    }
  }

  #heldBy(scope: Spender, id: string): Nanos {
    return this.#held[scope].get(id) ?? 0n;
  }
}

async function readHead(connection: PostgresConnection, seenId: number): Promise<HeadRow> {
  const sql = `select last_id, last.digest, seen.digest as seen_digest from ledger_head
    left join lateral (select md5(entries::text) as digest from entries where id = last_id) as last on true
    left join lateral (select md5(entries::text) as digest from entries where id = $1) as seen on true`;
  const [head] = await connection.query<HeadRow>(sql, [seenId]);
  return head!;
}
