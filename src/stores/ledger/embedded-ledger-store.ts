import type { Database as SqliteFile } from "bun:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { FailedAttempt } from "../../vocabulary/attempt.ts";
import type { Change } from "../../vocabulary/change.ts";
import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry } from "../../vocabulary/ledger-entry.ts";
import type { Price } from "../../vocabulary/price.ts";
import type { Spender, Spending } from "../../vocabulary/tally.ts";
import { writeChange } from "../record-change.ts";
import { AnswerTable } from "./answer-table.ts";
import { Books } from "./books.ts";
import { EntryTable } from "./entry-table.ts";
import { GroupCommit } from "./group-commit.ts";
import {
  ledgerUnavailable,
  refuseTooMuch,
  type Balance,
  type KeptAnswer,
  type LedgerStore,
  type Moved,
  type NewCredit,
  type NewHold,
  type Progress,
  type RequestRecord,
  type Settlement,
  type UsageQuestion,
  type UsageReport,
} from "./ledger-store.ts";
import { KnownRequests } from "./known-requests.ts";
import { patiently } from "./patiently.ts";
import { PriceTable } from "./price-table.ts";
import { ProgressWatch } from "./progress-watch.ts";
import { scanProviderUse } from "./provider-use-scan.ts";
import { readBooks } from "./read-books.ts";
import { TallyTable } from "./tally-table.ts";
import { UsageSums } from "./usage/usage-sums.ts";

/** Entries between two times the tallies are written: what a start has to add up at most, besides what was open. */
const TALLY_EVERY = 4096;
/** How long the end of the process waits for a database that cannot be written. */
const CLOSING_PATIENCE_MS = 5000;

/** What goes into the database together. */
interface Item {
  readonly entry: Entry;
  /** Writes what belongs to the entry, in another table. */
  readonly beside: (() => void) | undefined;
}

export interface LedgerOptions {
  readonly nowMs: () => number;
  /** Hears when nothing can be written any more, and, with undefined, when it can again. */
  readonly report: (trouble: string | undefined) => void;
}

/**
 * The ledger in the embedded database. This process is its only writer, so the books in memory are always true: whether there
 * is credit is decided in one turn of the event loop, and no two requests can both have the last of it.
 */
export class EmbeddedLedgerStore implements LedgerStore {
  readonly #books = new Books();
  readonly #entries: EntryTable;
  readonly #tallies: TallyTable;
  readonly #prices: PriceTable;
  readonly #answers: AnswerTable;
  readonly #usage: UsageSums;
  readonly #progress: ProgressWatch;
  readonly #commit: GroupCommit<Item>;
  readonly #file: SqliteFile;
  readonly #requests: KnownRequests;
  readonly takeMoved = (): readonly Moved[] => this.#books.takeMoved();
  #talliedId: number;

  /** Opens the ledger and closes every hold that a crash left open. Nothing else may write to this file. */
  constructor(file: SqliteFile, options: LedgerOptions) {
    this.#file = file;
    this.#entries = new EntryTable(file);
    this.#tallies = new TallyTable(file);
    this.#prices = new PriceTable(file);
    this.#answers = new AnswerTable(file);
    this.#commit = new GroupCommit({
      file,
      write: (items, isRetry) => this.#write(items, isRetry),
      written: (items) => this.#written(items),
      report: options.report,
    });
    this.#talliedId = readBooks(this.#books, this.#tallies, this.#entries);
    this.#progress = new ProgressWatch(file);
    this.#usage = new UsageSums(file);
    this.#requests = new KnownRequests(this.#entries, this.#books.open.keys());
    patiently(file, () => this.#recover(options.nowMs()));
  }

  balanceOf(accountId: string): Balance {
    return this.#books.balanceOf(accountId);
  }

  spendingOf(scope: Spender, id: string, nowMs: number): Spending {
    return this.#books.spendingOf(scope, id, nowMs);
  }

  async hold(hold: NewHold): Promise<void> {
    if (this.#commit.trouble) throw ledgerUnavailable(this.#commit.trouble);
    // A second end could never be written, and everything behind it would wait for ever.
    if (this.#books.open.has(hold.requestId) || this.#requests.hasEnded(hold.requestId))
      throw new Error(`${hold.requestId} has had its hold`);
    this.#add({ kind: "hold", id: this.#nextId, ...hold });
    this.#requests.held(hold.requestId);
    try {
      await this.#commit.attempted();
    } catch (error) {
      // The hold stays in the queue, because it may be in the database already, and its end follows it.
      this.release(hold.requestId, "the hold could not be recorded", hold.atMs);
      throw ledgerUnavailable(error as Error);
    }
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.#progress.watch(requestId, progress);
  }

  async settle(requestId: string, settlement: Settlement, answer?: (entry: SettleEntry) => KeptAnswer): Promise<SettleEntry> {
    const entry = this.#addSettlement(this.#openHold(requestId), settlement, answer);
    await this.#commit.durable();
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
    const entry = { id: this.#nextId, ...credit };
    this.#add(entry, record && (() => writeChange(this.#file, record(entry))));
    this.#flush();
    return { entry, isNew: true };
  }

  keepPrices(prices: readonly Price[]): void {
    patiently(
      this.#file,
      this.#file.transaction(() => prices.forEach((price) => this.#prices.add(price))),
    );
  }

  price(version: string): Price | undefined {
    return this.#prices.find(version);
  }

  findRequest(requestId: string): RequestRecord | undefined {
    const open = this.#books.open.get(requestId);
    if (open) return { hold: open, closing: undefined };
    this.#catchUp();
    return this.#entries.findClosed(requestId);
  }

  entriesAfter(afterId: number, limit: number): readonly Entry[] {
    return this.#entries.after(afterId, limit);
  }

  entriesOf(accountId: string, beforeId: number, limit: number): readonly Entry[] {
    this.#catchUp();
    return this.#entries.ofAccount(accountId, beforeId, limit);
  }

  async usage(question: UsageQuestion, signal?: AbortSignal): Promise<UsageReport> {
    this.#catchUp();
    return this.#usage.report(question, signal);
  }

  async providerUse(...[filter]: Parameters<LedgerStore["providerUse"]>): ReturnType<LedgerStore["providerUse"]> {
    this.#catchUp();
    return scanProviderUse(this.#file, filter);
  }

  balances(): { asOfId: number; accounts: ReadonlyMap<string, Balance> } {
    this.#flush();
    const accounts = [...this.#books.tallies.account].map(([id, { creditNanos, heldNanos }]) => [id, { creditNanos, heldNanos }] as const);
    return { asOfId: this.#books.lastId, accounts: new Map(accounts) };
  }

  state(): ReturnType<LedgerStore["state"]> {
    return { ...this.#books.held, unwrittenEntries: this.#commit.waiting, trouble: this.#commit.trouble?.message };
  }

  findAnswer(scope: string, nowMs: number): KeptAnswer | undefined {
    this.#catchUp();
    return this.#answers.find(scope, nowMs);
  }

  /** Writes what waits, and closes the file. Holds still open are closed at the next start. */
  async close(): Promise<void> {
    this.#progress.stop();
    for (const deadline = Date.now() + CLOSING_PATIENCE_MS; this.#commit.trouble && Date.now() < deadline;) await sleep(20);
    this.#commit.stop();
    this.#flush();
    this.#tally();
    this.#usage.close();
    this.#file.close();
  }

  get #nextId(): number {
    return this.#books.lastId + 1;
  }

  #openHold(requestId: string): HoldEntry {
    const hold = this.#books.open.get(requestId);
    if (!hold) throw new Error(`${requestId} has no open hold`);
    return hold;
  }

  #add(entry: Entry, beside?: () => void): void {
    this.#books.add(entry);
    this.#commit.add({ entry, beside });
  }

  #addSettlement(hold: HoldEntry, settlement: Settlement, answer?: (entry: SettleEntry) => KeptAnswer): SettleEntry {
    const { costNanos, capNanos, usage, provenance, upstream, upstreamModel, attempts, failedAttempts = [] } = settlement;
    const amountNanos = this.#books.chargeFor(hold, costNanos, capNanos);
    const end = this.#endOf(hold, settlement.reason, settlement.atMs);
    const served = { usage, provenance, upstream, upstreamModel, attempts };
    const settled: SettleEntry = { kind: "settle", ...end, amountNanos, unchargedNanos: costNanos - amountNanos, ...served };
    const entry = failedAttempts.length > 0 ? { ...settled, failedAttempts } : settled;
    const kept = answer?.(entry);
    this.#add(entry, kept && (() => this.#answers.write(kept)));
    return entry;
  }

  #addRelease(hold: HoldEntry, reason: string, atMs: number, failedAttempts: readonly FailedAttempt[] = []): void {
    this.#add({ kind: "release", ...this.#endOf(hold, reason, atMs), ...(failedAttempts.length > 0 && { failedAttempts }) });
  }

  #endOf(hold: HoldEntry, reason: string, atMs: number): Omit<ReleaseEntry, "kind"> {
    const { accountId, actor, requestId, keyId, model, priceVersion } = hold;
    this.#progress.forget(requestId);
    this.#requests.ended(requestId);
    return { id: this.#nextId, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, holdId: hold.id };
  }

  /** Lets readers of the database see all that was added, unless nothing can be written. */
  #catchUp(): void {
    if (!this.#commit.trouble) this.#flush();
  }

  #flush(): void {
    try {
      this.#commit.flush();
    } catch (error) {
      throw ledgerUnavailable(error as Error);
    }
  }

  #write(items: readonly Item[], isRetry: boolean): void {
    // A commit may fail and be there all the same.
    const writtenId = isRetry ? this.#entries.lastId : 0;
    for (const { entry, beside } of items) {
      if (entry.id <= writtenId) continue;
      this.#entries.insert(entry);
      beside?.();
    }
  }

  /** Only where everything is written are the books what the entries in the database come to. */
  #written(items: readonly Item[]): void {
    this.#requests.written();
    this.#usage.note(items);
    if (this.#books.lastId - this.#talliedId >= TALLY_EVERY) this.#tally();
  }

  #tally(): void {
    try {
      this.#file.transaction(() => this.#tallies.write(this.#books))();
      this.#talliedId = this.#books.lastId;
      this.#books.changed.clear();
    } catch {
      // It is only a shortcut for the next start; the next group of entries tries again.
    }
  }

  /**
   * Closes what a crash left open: with a charge for what was known of the answer, never above the hold, or without one. No
   * caller has seen any of these answers complete, because that takes a settlement.
   */
  #recover(nowMs: number): void {
    const known = this.#progress.leftBehind();
    for (const hold of this.#books.open.values()) {
      const progress = known.get(hold.requestId);
      const left = { ...hold, actor: "recovery" };
      const reason = `the gateway ended ${progress ? "in the middle of the answer" : "before the answer did"}`;
      if (!progress) this.#addRelease(left, reason, nowMs);
      else this.#addSettlement(left, { ...progress, capNanos: hold.amountNanos, reason, atMs: nowMs, attempts: 1 });
    }
    this.#flush();
  }
}
