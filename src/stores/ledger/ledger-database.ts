import type { Database as SqliteFile } from "bun:sqlite";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import type { Entry, HoldEntry, SettleEntry } from "../../money/ledger-entry.ts";
import { purseOf, type Breakdown } from "../../money/breakdown.ts";
import { NO_CREDIT_LINE } from "../../money/credit-line.ts";
import { hasCaps } from "../../money/headroom.ts";
import type { Nanos } from "../../money/money.ts";
import type { Purse, PurseKey } from "../../money/purse.ts";
import { Books } from "./books/books.ts";
import { BreakdownTallies, type BreakdownTally } from "./books/breakdown-tallies.ts";
import { closeOrphans } from "./books/close-orphans.ts";
import { makeRelease, makeSettlement } from "./books/closing-entries.ts";
import { loadBooks, readCharges } from "./books/load-books.ts";
import { withBusyTimeout } from "./commit/busy-timeout.ts";
import type { Checkpoint } from "./commit/checkpoint.ts";
import { GroupCommit } from "./commit/group-commit.ts";
import { ProgressWriter } from "./commit/progress-writer.ts";
import type { Journal } from "./journal/journal.ts";
import { recoverJournal } from "./journal/recover-journal.ts";
import type { CountedSpending } from "./ledger-record-store.ts";
import { ledgerUnavailable, type IdempotentReply, type Settlement } from "./ledger-store.ts";
import type { CapsOf } from "./leases/purse-state.ts";
import { BreakdownSums, COUNTING_PACE, type CountingPace } from "./tables/breakdown-sums.ts";
import { EntryTable } from "./tables/entry-table.ts";
import { IdempotentReplyTable } from "./tables/idempotent-reply-table.ts";
import { TallyTable } from "./tables/tally-table.ts";
import { UsageReports } from "./usage/usage-reports.ts";

export interface LedgerOptions {
  /** The write-ahead journal. Without a journal, entries go to the database at the end of each turn of the event loop. */
  readonly journal?: Journal;
  /** Checkpoints the WAL in a thread. Without it, SQLite checkpoints by itself. */
  readonly checkpoint?: Checkpoint;
  readonly nowMs: () => number;
  /** Called when the database becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
  /**
   * Spending by end user and tag is counted while they have spend caps. Without this option it is counted from the first use on, and no
   * account has a credit line.
   */
  readonly capsOf?: CapsOf;
  /**
   * Whether other processes may have holds in this ledger. Then the authority closes the holds that a crash left open, once it knows which
   * they are.
   */
  readonly isShared?: boolean;
  /** The maximum number of end users, of conversations and of values of a tag that usage reports name for an account and day. */
  readonly attributionNames?: number | undefined;
  /** How many entries are read and written at once when a spend cap of end users or tags is first used. */
  readonly countingPace?: CountingPace;
}

/**
 * The ledger in the embedded database: its books in memory, its tables, and the group commit, which writes entries from the books to the
 * tables.
 */
export class LedgerDatabase {
  readonly books = new Books(
    (...span) => readCharges(this.entries, this.commit.items, ...span),
    new BreakdownTallies({
      find: (purse) => this.#tallies.find(purse),
      addUp: (breakdown) => this.#addUp(breakdown),
    }),
  );
  readonly entries: EntryTable;
  readonly replies: IdempotentReplyTable;
  readonly usage: UsageReports;
  readonly progress: ProgressWriter;
  readonly commit: GroupCommit<Entry>;
  readonly requests: RequestTracker;
  readonly file: SqliteFile;
  readonly nowMs: () => number;
  readonly #tallies: TallyTable;
  readonly #capsOf: CapsOf | undefined;
  readonly #countingPace: CountingPace;
  /** Writes of other tables that belong to an entry, in the same transaction. */
  readonly #beside = new Map<Entry, () => void>();
  readonly #journal: Journal | undefined;

  /** Replays the journal, loads the books, and closes the holds that a crash left open, unless the ledger is shared. */
  constructor(file: SqliteFile, options: LedgerOptions) {
    const { journal } = options;
    this.file = file;
    this.nowMs = options.nowMs;
    this.#capsOf = options.capsOf;
    this.#countingPace = options.countingPace ?? COUNTING_PACE;
    this.#journal = journal;
    this.entries = new EntryTable(file);
    this.#tallies = new TallyTable(file);
    this.replies = new IdempotentReplyTable(file);
    this.commit = new GroupCommit({
      file,
      // The journal can only hold entries, so an entry with writes of other tables goes to the database directly.
      appendToJournal: (entries, from) => this.#beside.size === 0 && journal?.append(entries, from) === true,
      journalsEach: journal?.isCheapPerEntry === true,
      isAlone: () => this.requests.mostOpen <= 1,
      checkpoint: options.checkpoint,
      write: (entries, isRetry) => this.#write(entries, isRetry),
      written: (entries) => this.#written(entries),
      report: options.report,
    });
    if (journal) withBusyTimeout(file, () => recoverJournal(journal, this.entries, file));
    loadBooks(this.books, this.#tallies, this.entries);
    this.progress = new ProgressWriter(file);
    this.progress.retain((requestId) => this.books.open.has(requestId));
    this.usage = new UsageReports(file, options.attributionNames);
    this.requests = new RequestTracker(this.entries, this.books.open.keys());
    if (!options.isShared) withBusyTimeout(file, () => this.#recover());
  }

  /** Adds an entry, and writes of other tables that belong to it. */
  add(entry: Entry, beside?: () => void): void {
    this.books.add(entry);
    if (beside) this.#beside.set(entry, beside);
    this.commit.add(entry);
  }

  /** Ends a hold with a charge of this amount. */
  addSettlement(hold: HoldEntry, settlement: Settlement, amountNanos: Nanos, reply?: (entry: SettleEntry) => IdempotentReply): SettleEntry {
    this.forget(hold.requestId);
    const entry = makeSettlement(this.books.nextId, hold, settlement, amountNanos);
    const stored = reply?.(entry);
    this.add(entry, stored && (() => this.replies.write(stored)));
    return entry;
  }

  addRelease(hold: HoldEntry, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.forget(hold.requestId);
    this.add(makeRelease(this.books.nextId, hold, reason, atMs, failedAttempts));
  }

  /** Stops tracking a request whose hold ends. */
  forget(requestId: string): void {
    this.progress.forget(requestId);
    this.requests.ended(requestId);
  }

  /** Writes pending entries. Throws `overloaded` if the database cannot be written. */
  flush(): void {
    try {
      this.commit.flush();
    } catch (error) {
      throw ledgerUnavailable(error as Error);
    }
  }

  /** Writes pending entries for readers of the database; does nothing while the database is known to be unwritable. */
  catchUp(): void {
    if (!this.commit.failure) this.flush();
  }

  /**
   * Counts the spending of these end users and tags. Undefined if it is already counted. Throws `overloaded` if the database cannot be
   * written.
   */
  ensureCounted(purses: readonly Purse[]): Promise<void> | undefined {
    return this.books.ensureCounted(purses)?.catch((error: Error) => {
      throw ledgerUnavailable(error);
    });
  }

  /** The spending of all end users and tags that are counted. */
  countedSpending(): readonly CountedSpending[] {
    return this.#tallies.countedIn(this.books);
  }

  /**
   * Writes pending entries, until `expired`, and closes the files. Throws if entries remain unwritten. The next start closes open holds.
   */
  async close(expired: CancelSignal): Promise<void> {
    this.progress.stop();
    const unwritten = await this.commit.finish(expired);
    if (this.commit.unwritten === 0) this.#writeTallies();
    this.usage.close();
    this.file.close();
    this.#journal?.close();
    if (unwritten) throw unwritten;
  }

  #write(entries: readonly Entry[], isRetry: boolean): void {
    // A commit may report an error and still be durable.
    const writtenId = isRetry ? this.entries.lastId : 0;
    for (const entry of entries) {
      if (entry.id <= writtenId) continue;
      this.entries.insert(entry);
      this.#beside.get(entry)?.();
    }
  }

  /** All entries are in the database, so the books equal its sums, and the tallies can be written. */
  #written(entries: readonly Entry[]): void {
    this.#beside.clear();
    this.#journal?.clear(entries.at(-1)!.id);
    this.requests.written();
    this.usage.note(entries);
    if (this.#tallies.isDue(this.books)) this.#writeTallies();
  }

  #writeTallies(): void {
    const capsOf = this.#capsOf;
    if (capsOf) this.books.breakdowns.retain((breakdown) => hasCaps(capsOf(purseOf(breakdown, undefined))));
    this.#tallies.write(this.books, this.nowMs());
  }

  async #addUp(breakdown: Breakdown): Promise<ReadonlyMap<PurseKey, BreakdownTally>> {
    const sums = new BreakdownSums(this.file, this.commit.items, breakdown, this.nowMs());
    await sums.read(this.#countingPace);
    await this.#tallies.store(breakdown, [...sums.tallies.values()], this.#countingPace.talliesWritten);
    return sums.tallies;
  }

  /** The part of a cost that is charged. */
  chargeFor(hold: HoldEntry, costNanos: Nanos, capNanos: Nanos | undefined): Nanos {
    const creditLine = this.#capsOf?.({ scope: "account", id: hold.accountId }).creditLine ?? NO_CREDIT_LINE;
    return this.books.chargeFor(hold, costNanos, capNanos, creditLine);
  }

  #recover(): void {
    closeOrphans(this.books.open.values(), this.progress.reported, this.nowMs(), {
      settle: (hold, settlement) => {
        const amountNanos = this.chargeFor(hold, settlement.costNanos, settlement.capNanos);
        this.addSettlement(hold, settlement, amountNanos);
      },
      release: (hold, reason, atMs) => this.addRelease(hold, reason, atMs),
    });
    this.flush();
  }
}

/** Tracks request ids, to reject a second hold with the same id: its closing entry would violate an index and could never be written. */
class RequestTracker {
  readonly #entries: EntryTable;
  /** Requests whose closing entry is not in the database yet. */
  readonly #endsWaiting = new Set<string>();
  /** Request ids increase with time (UUID version 7): an id above all earlier ids is new, and needs no query. */
  #highest: string;
  #open = 0;
  #mostOpen = 0;

  constructor(entries: EntryTable, open: Iterable<string>) {
    this.#entries = entries;
    this.#highest = entries.highestEndedRequestId;
    for (const requestId of open) this.held(requestId);
  }

  held(requestId: string): void {
    if (requestId > this.#highest) this.#highest = requestId;
    this.#open++;
    if (this.#open > this.#mostOpen) this.#mostOpen = this.#open;
  }

  ended(requestId: string): void {
    this.#endsWaiting.add(requestId);
    this.#open--;
  }

  /** Every closing entry is in the database. */
  written(): void {
    this.#endsWaiting.clear();
    this.#mostOpen = this.#open;
  }

  /** The peak of concurrent requests since the last commit. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  hasEnded(requestId: string): boolean {
    return requestId <= this.#highest && (this.#endsWaiting.has(requestId) || this.#entries.hasEnd(requestId));
  }
}
