import type { Change } from "../../../access/change.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CreditEntry, Entry, ListedEntry } from "../../../money/ledger-entry.ts";
import type { Price } from "../../../money/price.ts";
import type { Purse } from "../../../money/purse.ts";
import type { Spender, Spending } from "../../../money/tally.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { Database } from "../../database.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { recordChange } from "../../record-change.ts";
import { AuthorityUnavailable } from "../leases/authority.ts";
import { bookCredit } from "../postgres/book-credit.ts";
import {
  type AttributionOverflows,
  type ChangedSpender,
  type EntriesOfEndUser,
  type ErasedEndUser,
  type LedgerBalances,
  type LedgerRecordStore,
  type NewCredit,
  type ProviderUse,
  type ProviderUseFilter,
  type RequestRecord,
  type UsageReport,
  type UsageReportQuery,
} from "../ledger-record-store.ts";
import { ledgerUnavailable, type Balance } from "../ledger-store.ts";
import { dayOf, MAX_TAG_NAMES } from "../usage/attributed-series.ts";
import { reportUsage } from "../usage/postgres-rollup-updater.ts";
import { DEFAULT_NAMES_PER_DAY } from "../usage/rollup-builder.ts";
import { BalanceCache } from "./balance-cache.ts";
import { EntryReader } from "../records/entry-reader.ts";
import { PostgresRows } from "../records/postgres-rows.ts";
import { findPrice, readTierBounds } from "../records/prices.ts";
import { readProviderUse } from "../records/provider-use.ts";
import { eraseEndUser } from "../erasure/postgres-erasure.ts";
import { readBalances } from "./read-balances.ts";

const REFRESH_EVERY_MS = 1000;

export interface PostgresRecordOptions {
  readonly pool: PostgresPool;
  readonly database: Database;
  /** Ships the pending entries of this process, if it serves requests. Throws `overloaded` if that fails. */
  readonly catchUp: () => Promise<void>;
  /**
   * Resolves when the gateway processes have returned their unused credit of these purses, or after a short wait. Provided by the
   * authority.
   */
  readonly recallAll: (purses: readonly Purse[]) => Promise<void>;
  /** The maximum number of end users, of conversations and of values of a tag that reports name for an account and day. */
  readonly namesPerDay?: number | undefined;
  /** The overflows of the rollups that this process has updated. */
  readonly overflows?: () => AttributionOverflows;
}

/**
 * The ledger's records in PostgreSQL. Balances and spending are a copy in memory, which is refreshed once a second and after this process
 * has added credit. Holds that a process has not shipped yet are not included in any figure.
 */
export class PostgresLedgerRecordStore implements LedgerRecordStore {
  readonly #options: PostgresRecordOptions;
  readonly #balances: BalanceCache;
  readonly #rows: PostgresRows;
  readonly #entries: EntryReader;
  #timer: Timer | undefined;
  readonly takeChangedSpenders = (): readonly ChangedSpender[] => this.#balances.takeChangedSpenders();
  readonly price = (version: string): Promise<Price | undefined> => findPrice(this.#rows, version);
  readonly tierBounds = (): Promise<readonly number[]> => readTierBounds(this.#rows);

  private constructor(options: PostgresRecordOptions) {
    const { pool } = options;
    this.#options = options;
    this.#rows = new PostgresRows(pool);
    this.#entries = new EntryReader(this.#rows);
    this.#balances = new BalanceCache(pool, () => this.#entries.forgetCounts());
  }

  /** Reads the balances, and refreshes them from then on. Throws `StorageUnavailable`. */
  static async open(options: PostgresRecordOptions): Promise<PostgresLedgerRecordStore> {
    const store = new PostgresLedgerRecordStore(options);
    await store.#balances.load();
    store.#schedule();
    return store;
  }

  /** Stops the refreshes. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the current balances and spending. */
  refresh(): Promise<void> {
    return this.#balances.refresh();
  }

  balanceOf(accountId: string): Balance {
    return this.#balances.balanceOf(accountId);
  }

  spendingOf(scope: Spender, id: string, nowMs: number): Spending {
    return this.#balances.spendingOf(scope, id, nowMs);
  }

  async addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }> {
    const { pool, catchUp, recallAll } = this.#options;
    // Unused leases of processes cannot be taken from the account, so they are returned first.
    if (credit.amountNanos < 0n) await orOverloaded(() => recallAll([{ scope: "account", id: credit.accountId }]));
    await catchUp();
    const booked = await orOverloaded(() => pool.transaction((connection) => this.#bookCredit(connection, credit, record)));
    // The credit is durable. If it cannot be read now, a later refresh reads it.
    if (booked.isNew) await this.#balances.refresh().catch(() => undefined);
    return booked;
  }

  async balances(): Promise<LedgerBalances> {
    await this.#options.catchUp();
    return orOverloaded(() => readBalances(this.#options.pool));
  }

  async findRequest(requestId: string): Promise<RequestRecord | undefined> {
    await this.#options.catchUp();
    const sql = "select hold_id from open_holds where request_id = $1";
    const [open] = await this.#rows.all<{ hold_id: number }>(sql, [requestId]);
    const hold = open && (await this.#entries.findHold(open.hold_id));
    return hold ? { hold, closing: undefined } : this.#entries.findClosed(requestId);
  }

  async entriesAfter(afterId: number, limit: number): Promise<readonly Entry[]> {
    await this.#options.catchUp();
    return this.#entries.after(afterId, limit);
  }

  async entriesOf(accountId: string, beforeId: number, limit: number): Promise<readonly ListedEntry[]> {
    await this.#options.catchUp();
    return this.#entries.ofAccount(accountId, beforeId, limit);
  }

  async findCredit(accountId: string, reference: string): Promise<CreditEntry | undefined> {
    await this.#options.catchUp();
    return this.#entries.findCredit(accountId, reference);
  }

  async numberOf(accountId: string, entryId: number): Promise<number> {
    await this.#options.catchUp();
    return this.#entries.numberOf(accountId, entryId);
  }

  async usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    await this.#options.catchUp();
    return reportUsage(this.#options.pool, question, this.#options.namesPerDay ?? DEFAULT_NAMES_PER_DAY, signal);
  }

  async tagsOf(accountId: string, sinceMs: number): Promise<readonly string[]> {
    await this.#options.catchUp();
    return readTags(this.#rows, accountId, sinceMs);
  }

  attributionOverflows(): AttributionOverflows {
    return this.#options.overflows?.() ?? { user: 0, conversation: 0, tag: 0 };
  }

  async entriesOfEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser> {
    await this.#options.catchUp();
    return this.#entries.ofEndUser(accountId, users, afterId);
  }

  async eraseEndUser(accountId: string, users: readonly string[]): Promise<ErasedEndUser> {
    await this.#options.catchUp();
    return orOverloaded(() => eraseEndUser(this.#options.pool, accountId, users));
  }

  async providerUse(filter: ProviderUseFilter): Promise<ProviderUse> {
    await this.#options.catchUp();
    return readProviderUse(this.#rows, filter);
  }

  async #bookCredit(
    connection: PostgresConnection,
    credit: NewCredit,
    record: ((entry: CreditEntry) => Change) | undefined,
  ): Promise<{ entry: CreditEntry; isNew: boolean }> {
    const booked = await bookCredit(connection, credit);
    if (!booked.isNew || !record) return booked;
    const { sql, parameters } = recordChange(this.#options.database, record(booked.entry)).compile();
    await connection.query(sql, parameters);
    return booked;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#balances
        .refresh()
        // Ignored: the next refresh reads the missing changes.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#schedule();
        });
    }, REFRESH_EVERY_MS).unref();
  }
}

/** Reads tags from the rollups, and from the entries that are not in the rollups yet. */
async function readTags(rows: PostgresRows, accountId: string, sinceMs: number): Promise<string[]> {
  const found = await rows.all<{ tag: string }>(
    `select tag from attribution_tag_days where account_id = $1 and day >= $3
    union select jsonb_object_keys(attribution::jsonb -> 'tags') collate "C" from entries
      where id > (select as_of_id from usage_rolled) and account_id = $1 and kind in ('settle', 'release') and attribution is not null
    order by tag limit $2`,
    [accountId, MAX_TAG_NAMES, dayOf(sinceMs)],
  );
  return found.map(({ tag }) => tag);
}

async function orOverloaded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageUnavailable || error instanceof AuthorityUnavailable ? ledgerUnavailable(error) : error;
  }
}
