import type { Database as SqliteFile } from "bun:sqlite";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { Change } from "../../access/change.ts";
import type { BackgroundTask } from "../../lib/async/background-task.ts";
import type { CreditEntry, Entry, HoldEntry, SettleEntry } from "../../money/ledger-entry.ts";
import type { Price } from "../../money/price.ts";
import type { Spender, Spending } from "../../money/tally.ts";
import { BRIEF_BUSY_TIMEOUT_MS } from "../database.ts";
import { writeChange } from "../record-change.ts";
import { IdempotentReplyTable } from "./tables/idempotent-reply-table.ts";
import { Books } from "./books/books.ts";
import type { Checkpoint } from "./commit/checkpoint.ts";
import { closeOrphans } from "./books/close-orphans.ts";
import { makeRelease, makeSettlement } from "./books/closing-entries.ts";
import { yieldToEventLoop } from "./commit/yield-to-event-loop.ts";
import { EntryTable } from "./tables/entry-table.ts";
import { GroupCommit } from "./commit/group-commit.ts";
import {
  refuseTooMuch,
  type ChangedSpender,
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
import type { Journal } from "./journal/journal.ts";
import { RequestTracker } from "./books/request-tracker.ts";
import { withBusyTimeout } from "./commit/busy-timeout.ts";
import { PriceTable } from "./tables/price-table.ts";
import { ProgressWriter } from "./commit/progress-writer.ts";
import { scanProviderUse } from "./provider-use-scan.ts";
import { loadBooks, readCharges } from "./books/load-books.ts";
import { recoverJournal } from "./journal/recover-journal.ts";
import { TallyTable } from "./tables/tally-table.ts";
import { UsageReports } from "./usage/usage-reports.ts";
import { Cancellation, type CancelSignal } from "../../lib/async/cancellation.ts";

export interface LedgerOptions {
  /** The write-ahead journal. Without one, entries go to the database at the end of each turn. */
  readonly journal?: Journal;
  /** Checkpoints the WAL in a thread. Without one, SQLite checkpoints by itself. */
  readonly checkpoint?: Checkpoint;
  readonly nowMs: () => number;
  /** Called when the database becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * The ledger in the embedded database, with both of its ports. This process is the only writer, so the books in memory are always current: a balance is checked and
 * held in one turn of the event loop, and two requests can never spend the same credit.
 */
export class EmbeddedLedgerStore implements LedgerStore, LedgerRecordStore {
  readonly #books = new Books((...span) => readCharges(this.#entries, this.#commit.items, ...span));
  readonly #entries: EntryTable;
  readonly #tallies: TallyTable;
  readonly #prices: PriceTable;
  readonly #replies: IdempotentReplyTable;
  readonly #usage: UsageReports;
  readonly #progress: ProgressWriter;
  readonly #commit: GroupCommit<Entry>;
  /** Writes of other tables that belong to an entry, in the same transaction. */
  readonly #beside = new Map<Entry, () => void>();
  readonly #file: SqliteFile;
  readonly #journal: Journal | undefined;
  readonly #requests: RequestTracker;
  /** Writes journaled entries to the database. */
  readonly backgroundTask: BackgroundTask;
  readonly takeChangedSpenders = (): readonly ChangedSpender[] => this.#books.takeChangedSpenders();
  readonly price = async (version: string): Promise<Price | undefined> => this.#prices.find(version);
  readonly tierBounds = async (): Promise<readonly number[]> => this.#prices.tierBounds();

  /** Opens the ledger: replays the journal, loads the books, and closes the holds that a crash left open. No other connection may write entries. */
  constructor(file: SqliteFile, options: LedgerOptions) {
    const { journal } = options;
    this.#file = file;
    this.#journal = journal;
    this.#entries = new EntryTable(file);
    this.#tallies = new TallyTable(file);
    this.#prices = new PriceTable(file);
    this.#replies = new IdempotentReplyTable(file);
    this.#commit = new GroupCommit({
      file,
      // The journal holds entries alone, so one with writes of other tables goes to the database directly.
      appendToJournal: (entries, from) => this.#beside.size === 0 && journal?.append(entries, from) === true,
      journalsEach: journal?.isCheapPerEntry === true,
      isAlone: () => this.#requests.mostOpen <= 1,
      checkpoint: options.checkpoint,
      write: (entries, isRetry) => this.#write(entries, isRetry),
      written: (entries) => this.#written(entries),
      report: options.report,
    });
    this.backgroundTask = this.#commit;
    if (journal) withBusyTimeout(file, () => recoverJournal(journal, this.#entries, file));
    loadBooks(this.#books, this.#tallies, this.#entries);
    this.#progress = new ProgressWriter(file);
    this.#usage = new UsageReports(file);
    this.#requests = new RequestTracker(this.#entries, this.#books.open.keys());
    withBusyTimeout(file, () => this.#recover(options.nowMs()));
  }

  balanceOf(accountId: string): Balance {
    return this.#books.balanceOf(accountId);
  }

  spendingOf(scope: Spender, id: string, nowMs: number): Spending {
    return this.#books.spendingOf(scope, id, nowMs);
  }

  async hold(hold: NewHold): Promise<void> {
    if (this.#commit.failure) throw ledgerUnavailable(this.#commit.failure);
    // A second closing entry could never be written, and all later entries would wait for it.
    if (this.#books.open.has(hold.requestId) || this.#requests.hasEnded(hold.requestId))
      throw new Error(`${hold.requestId} has had a hold already`);
    const { accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, amountNanos } = hold;
    this.#add({ kind: "hold", id: this.#books.nextId, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, amountNanos });
    this.#requests.held(hold.requestId);
    try {
      // The event loop may have a disconnect of the client pending: after this turn it is known, and the upstream need not be called.
      await (this.#commit.isDurable ? yieldToEventLoop() : this.#commit.attempted());
    } catch (error) {
      // The hold stays in the queue, because it may be in the database already. Its release follows it.
      this.release(hold.requestId, "the hold could not be recorded", hold.atMs);
      throw ledgerUnavailable(error as Error);
    }
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.#progress.watch(requestId, progress);
  }

  async settle(requestId: string, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry> {
    const entry = this.#addSettlement(this.#openHold(requestId), settlement, reply);
    if (!this.#commit.isDurable) await this.#commit.durable();
    return entry;
  }

  release(requestId: string, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.#addRelease(this.#openHold(requestId), reason, atMs, failedAttempts);
  }

  async addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }> {
    this.#flush();
    const earlier = this.#entries.findCredit(credit.accountId, credit.reference);
    if (earlier) return { entry: earlier, isNew: false };
    refuseTooMuch(this.balanceOf(credit.accountId).creditNanos, credit.amountNanos);
    const entry = { id: this.#books.nextId, ...credit };
    this.#add(entry, record && (() => writeChange(this.#file, record(entry))));
    this.#flush();
    return { entry, isNew: true };
  }

  /** Records prices durably, for the catalog, which writes its change in the same turn. Throws SQLite's error after 100 ms of a lock. */
  recordPrices(prices: readonly Price[]): void {
    withBusyTimeout(this.#file, () => this.#prices.add(prices), BRIEF_BUSY_TIMEOUT_MS);
  }

  async findRequest(requestId: string): Promise<RequestRecord | undefined> {
    const open = this.#books.open.get(requestId);
    if (open) return { hold: open, closing: undefined };
    this.catchUp();
    return this.#entries.findClosed(requestId);
  }

  async entriesAfter(afterId: number, limit: number): Promise<readonly Entry[]> {
    this.catchUp();
    return this.#entries.after(afterId, limit);
  }

  async entriesOf(accountId: string, beforeId: number, limit: number): Promise<readonly Entry[]> {
    this.catchUp();
    return this.#entries.ofAccount(accountId, beforeId, limit);
  }

  async numberOf(accountId: string, entryId: number): Promise<number> {
    this.catchUp();
    return this.#entries.numbers.numberOf(accountId, entryId);
  }

  async usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    this.catchUp();
    return this.#usage.report(question, signal);
  }

  async providerUse(filter: ProviderUseFilter): Promise<ProviderUse> {
    this.catchUp();
    return scanProviderUse(this.#file, filter);
  }

  async balances(): Promise<LedgerBalances> {
    this.#flush();
    return this.#books.balances();
  }

  state(): LedgerState {
    return { ...this.#books.held, unwrittenEntries: this.#commit.unwritten, failure: this.#commit.failure?.message };
  }

  /** Writes pending entries, so that readers of the database see them; does nothing while the database is known to be unwritable. */
  catchUp(): void {
    if (!this.#commit.failure) this.#flush();
  }

  async findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined> {
    this.catchUp();
    return this.#replies.find(scope, nowMs);
  }

  /** Writes pending entries, until `expired`, and closes the files. Throws where entries remain unwritten. The next start closes open holds. */
  async close(expired: CancelSignal = new Cancellation()): Promise<void> {
    this.#progress.stop();
    const unwritten = await this.#commit.finish(expired);
    if (this.#commit.unwritten === 0) this.#tallies.write(this.#books);
    this.#usage.close();
    this.#file.close();
    this.#journal?.close();
    if (unwritten) throw unwritten;
  }

  #openHold(requestId: string): HoldEntry {
    const hold = this.#books.open.get(requestId);
    if (!hold) throw new Error(`${requestId} has no open hold`);
    return hold;
  }

  #add(entry: Entry, beside?: () => void): void {
    this.#books.add(entry);
    if (beside) this.#beside.set(entry, beside);
    this.#commit.add(entry);
  }

  #addSettlement(hold: HoldEntry, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): SettleEntry {
    const amountNanos = this.#books.chargeFor(hold, settlement.costNanos, settlement.capNanos);
    this.#forget(hold);
    const entry = makeSettlement(this.#books.nextId, hold, settlement, amountNanos);
    const stored = reply?.(entry);
    this.#add(entry, stored && (() => this.#replies.write(stored)));
    return entry;
  }

  #addRelease(hold: HoldEntry, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.#forget(hold);
    this.#add(makeRelease(this.#books.nextId, hold, reason, atMs, failedAttempts));
  }

  /** Stops tracking a request whose hold ends. */
  #forget({ requestId }: HoldEntry): void {
    this.#progress.forget(requestId);
    this.#requests.ended(requestId);
  }

  #flush(): void {
    try {
      this.#commit.flush();
    } catch (error) {
      throw ledgerUnavailable(error as Error);
    }
  }

  #write(entries: readonly Entry[], isRetry: boolean): void {
    // A commit may report an error and be durable all the same.
    const writtenId = isRetry ? this.#entries.lastId : 0;
    for (const entry of entries) {
      if (entry.id <= writtenId) continue;
      this.#entries.insert(entry);
      this.#beside.get(entry)?.();
    }
  }

  /** All entries are in the database, so the books equal the sums of the database, and the tallies can be written. */
  #written(entries: readonly Entry[]): void {
    this.#beside.clear();
    this.#journal?.clear(entries.at(-1)!.id);
    this.#requests.written();
    this.#usage.note(entries);
    if (this.#tallies.isDue(this.#books)) this.#tallies.write(this.#books);
  }

  #recover(nowMs: number): void {
    closeOrphans(this.#books.open.values(), this.#progress.readPrevious(), nowMs, {
      settle: (hold, settlement) => this.#addSettlement(hold, settlement),
      release: (hold, reason, atMs) => this.#addRelease(hold, reason, atMs),
    });
    this.#flush();
  }
}
