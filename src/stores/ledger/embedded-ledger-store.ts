import type { Database as SqliteFile } from "bun:sqlite";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { Change } from "../../access/change.ts";
import type { BackgroundTask } from "../../lib/async/background-task.ts";
import { Cancellation, type CancelSignal } from "../../lib/async/cancellation.ts";
import type { CreditEntry, Entry, HoldEntry, ListedEntry, SettleEntry } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { Purse, PurseScope } from "../../money/purse.ts";
import type { Spending } from "../../money/tally.ts";
import { ApiError } from "../../requests/api-error.ts";
import { writeChange } from "../record-change.ts";
import { yieldToEventLoop } from "./commit/yield-to-event-loop.ts";
import type { CreditLeases } from "./leases/credit-leases.ts";
import { LedgerDatabase, type LedgerOptions } from "./ledger-database.ts";
import {
  refuseTooMuch,
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
  type UsageReportQuery,
  type UsageReport,
} from "./ledger-record-store.ts";
import {
  ledgerUnavailable,
  type Balance,
  type IdempotentReply,
  type LedgerState,
  type LedgerStore,
  type NewHold,
  type Progress,
  type Settlement,
} from "./ledger-store.ts";
import { eraseFromEntries, findConversations } from "./erasure/erase-entries.ts";
import { EntryReader } from "./records/entry-reader.ts";
import { findPrice, readTierBounds } from "./records/prices.ts";
import { readProviderUse } from "./records/provider-use.ts";
import { SqliteRows } from "./records/sqlite-rows.ts";

/**
 * The ledger in the embedded database, with both of its ports. This process is the only writer, so the books in memory are always current.
 * A balance is checked and held in one turn of the event loop, so two requests can never spend the same credit. Parts of the credit may be
 * leased to other processes.
 */
export class EmbeddedLedgerStore implements LedgerStore, LedgerRecordStore {
  /** For the authority, which writes the entries of other processes. */
  readonly database: LedgerDatabase;
  readonly #rows: SqliteRows;
  readonly #entries: EntryReader;
  leases: CreditLeases | undefined;
  /** Writes journaled entries to the database. */
  readonly backgroundTask: BackgroundTask;
  readonly takeChangedSpenders = (): readonly ChangedSpender[] => this.database.books.takeChangedSpenders();
  readonly price = (version: string): Promise<Price | undefined> => findPrice(this.#rows, version);
  readonly tierBounds = (): Promise<readonly number[]> => readTierBounds(this.#rows);

  /**
   * Opens the ledger: replays the journal, loads the books, and closes the holds that a crash left open. No other connection may write
   * entries.
   */
  constructor(file: SqliteFile, options: LedgerOptions) {
    this.#rows = new SqliteRows(file);
    this.#entries = new EntryReader(this.#rows);
    this.database = new LedgerDatabase(file, options);
    this.backgroundTask = this.database.commit;
  }

  /** From now on, parts of the credit are leased to other processes, and the requests of this process hold credit that is not leased. */
  share(leases: CreditLeases): void {
    this.leases = leases;
  }

  balanceOf(accountId: string): Balance {
    return this.database.books.balanceOf(accountId);
  }

  spendingOf(scope: PurseScope, id: string, nowMs: number): Spending {
    return this.database.books.spendingOf(scope, id, nowMs);
  }

  ensureCounted(purses: readonly Purse[]): Promise<void> | undefined {
    return this.database.ensureCounted(purses);
  }

  async hold(hold: NewHold): Promise<void> {
    if (this.database.commit.failure) throw ledgerUnavailable(this.database.commit.failure);
    // A second closing entry could never be written, and would block all later entries.
    if (this.database.books.open.has(hold.requestId) || this.database.requests.hasEnded(hold.requestId))
      throw new Error(`${hold.requestId} has had a hold already`);
    const { accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, attribution, amountNanos } = hold;
    this.database.add({
      kind: "hold",
      id: this.database.books.nextId,
      accountId,
      atMs,
      actor,
      reason,
      requestId,
      keyId,
      model,
      priceVersion,
      attribution,
      amountNanos,
    });
    this.database.requests.held(hold.requestId);
    try {
      // A disconnect of the client may be pending in the event loop. After this turn it is known, so that the upstream need not be called.
      await (this.database.commit.isDurable ? yieldToEventLoop() : this.database.commit.attempted());
    } catch (error) {
      // The hold stays in the queue, because it may be in the database already. Its release follows it.
      this.release(hold.requestId, "the hold could not be recorded", hold.atMs);
      throw ledgerUnavailable(error as Error);
    }
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.database.progress.watch(requestId, progress);
  }

  async settle(requestId: string, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry> {
    const hold = this.#openHold(requestId);
    const entry = this.database.addSettlement(hold, settlement, this.#chargeFor(hold, settlement), reply);
    this.leases?.noteOwn(entry);
    if (!this.database.commit.isDurable) await this.database.commit.durable();
    return entry;
  }

  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    const hold = this.#openHold(requestId);
    this.database.addRelease(hold, reason, atMs, failedAttempts);
    this.leases?.noteOwn(hold);
  }

  async addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }> {
    // Unused leases of other processes cannot be taken from the account, so they are returned first.
    if (this.leases && credit.amountNanos < 0n) await this.leases.recallAll([{ scope: "account", id: credit.accountId }]);
    this.database.flush();
    const earlier = this.database.entries.findCredit(credit.accountId, credit.reference);
    if (earlier) return { entry: earlier, isNew: false };
    refuseTooMuch(this.balanceOf(credit.accountId).creditNanos, credit.amountNanos);
    const entry = { id: this.database.books.nextId, ...credit };
    this.database.add(entry, record && (() => writeChange(this.database.file, record(entry))));
    this.database.flush();
    this.leases?.noteOwn(entry);
    return { entry, isNew: true };
  }

  async findRequest(requestId: string): Promise<RequestRecord | undefined> {
    const open = this.database.books.open.get(requestId);
    if (open) return { hold: open, closing: undefined };
    this.database.catchUp();
    return this.#entries.findClosed(requestId);
  }

  async entriesAfter(afterId: number, limit: number): Promise<readonly Entry[]> {
    this.database.catchUp();
    return this.#entries.after(afterId, limit);
  }

  async entriesOf(accountId: string, beforeId: number, limit: number): Promise<readonly ListedEntry[]> {
    this.database.catchUp();
    return this.#entries.ofAccount(accountId, beforeId, limit);
  }

  async findCredit(accountId: string, reference: string): Promise<CreditEntry | undefined> {
    this.database.catchUp();
    return this.#entries.findCredit(accountId, reference);
  }

  async numberOf(accountId: string, entryId: number): Promise<number> {
    this.database.catchUp();
    return this.#entries.numberOf(accountId, entryId);
  }

  async usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    this.database.catchUp();
    return this.database.usage.report(question, signal);
  }

  async tagsOf(accountId: string, sinceMs: number): Promise<readonly string[]> {
    this.database.catchUp();
    return this.database.usage.tagsOf(accountId, sinceMs);
  }

  attributionOverflows(): AttributionOverflows {
    return this.database.usage.overflows;
  }

  async entriesOfEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser> {
    this.database.catchUp();
    return this.#entries.ofEndUser(accountId, users, afterId);
  }

  async eraseEndUser(accountId: string, users: readonly string[]): Promise<ErasedEndUser> {
    this.database.flush();
    const { file, entries, usage } = this.database;
    const wanted = new Set(users);
    const conversations = await findConversations(file, accountId, wanted, entries.lastId);
    const names = { users: wanted, conversations };
    try {
      // The rollups come before the entries: an interrupted erasure then still finds the names in the entries when it is repeated.
      const lastId = await usage.eraseNames(accountId, names);
      return { entries: await eraseFromEntries(file, accountId, names, lastId), conversations: [...conversations] };
    } catch (error) {
      throw error instanceof ApiError ? error : ledgerUnavailable(error as Error);
    }
  }

  async providerUse(filter: ProviderUseFilter): Promise<ProviderUse> {
    this.database.catchUp();
    return readProviderUse(this.#rows, filter);
  }

  async balances(): Promise<LedgerBalances> {
    this.database.flush();
    return { ...this.database.books.balances(), breakdowns: this.database.countedSpending() };
  }

  state(): LedgerState {
    return {
      ...this.database.books.held,
      unwrittenEntries: this.database.commit.unwritten,
      failure: this.database.commit.failure?.message,
    };
  }

  /** Writes pending entries for readers of the database; does nothing while the database is known to be unwritable. */
  catchUp(): void {
    this.database.catchUp();
  }

  async findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    this.database.catchUp();
    return this.database.replies.find(scope, nowMs);
  }

  /**
   * Writes pending entries, until `expired`, and closes the files. Throws if entries remain unwritten. The next start closes open holds.
   */
  close(expired: CancelSignal = new Cancellation()): Promise<void> {
    return this.database.close(expired);
  }

  #openHold(requestId: string): HoldEntry {
    const hold = this.database.books.open.get(requestId);
    if (!hold) throw new Error(`${requestId} has no open hold`);
    return hold;
  }

  /** A cost above the hold may not use credit that other processes have leased, except for the excess of one request. */
  #chargeFor(hold: HoldEntry, { costNanos, capNanos }: Settlement): Nanos {
    if (this.leases && costNanos > hold.amountNanos && !this.leases.mayOverdraw(hold.accountId)) return hold.amountNanos;
    return this.database.chargeFor(hold, costNanos, capNanos);
  }
}
