import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { BackgroundTask } from "../../../lib/async/background-task.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { Checkpoint } from "./checkpoint.ts";

const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 500;
/** How long entries in the journal wait for more entries that go to the database in the same transaction. */
const WRITE_AFTER_MS = 10;

interface GroupCommitOptions<Item> {
  readonly file: SqliteFile;
  /**
   * Appends the items, starting at index `from`, to the journal, where they are durable. Returns false if the journal is full: then the
   * items are written to the database immediately.
   */
  readonly appendToJournal: (items: readonly Item[], from: number) => boolean;
  /** Whether an append is so cheap that a lone request need not wait for the end of the turn of the event loop. */
  readonly journalsEach: boolean;
  /** Whether at most one request was in flight at any time since the last commit. */
  readonly isAlone: () => boolean;
  /** While a checkpoint runs, entries wait in the journal. */
  readonly checkpoint: Pick<Checkpoint, "isRunning" | "committed"> | undefined;
  /**
   * Inserts a group into the open transaction. After a failed attempt a part of the group may already be committed, so a retry must check
   * for it.
   */
  readonly write: (items: readonly Item[], isRetry: boolean) => void;
  /** Called when a group is in the database, before any promise resolves. */
  readonly written: (items: readonly Item[]) => void;
  /** Called when the database becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * Group commit. Items become durable in the write-ahead journal, either immediately or together with all items of the same turn of the
 * event loop. 10 ms later they are written to the embedded database in one transaction. Without a journal, or if it is full, the
 * transaction is made at the end of the turn. Items that cannot be written are retried until they are written; none is dropped.
 */
export class GroupCommit<Item> implements BackgroundTask {
  readonly #options: GroupCommitOptions<Item>;
  readonly #begin: Statement;
  readonly #commit: Statement;
  /** The items that are not in the database. The first `#journaled` of them are in the journal. */
  #items: Item[] = [];
  #journaled = 0;
  /** Writes of other tables that the next transaction makes together with the items. */
  #writes: (() => void)[] = [];
  #writing: Timer | undefined;
  #isScheduled = false;
  #isStopped = false;
  #retryMs = 0;
  #retry: Timer | undefined;
  #failure: Error | undefined;
  /** The promises that wait for an attempt: rejected by the next failed attempt, fulfilled only by success. */
  #attempt: PromiseWithResolvers<void> | undefined;
  #success: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
    // `query`, not `prepare`: closing the file finalizes its statements, while a prepared statement would keep the file open.
    this.#begin = options.file.query("begin immediate");
    this.#commit = options.file.query("commit");
  }

  /** The error of the last write, while the database cannot be written. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** The number of items that are not in the database yet. */
  get unwritten(): number {
    return this.#items.length;
  }

  /** The items that may not be in the database yet. */
  get items(): readonly Item[] {
    return this.#items;
  }

  get waiting(): number {
    return this.#failure || this.#isStopped || this.#mayWait ? 0 : this.#items.length + this.#writes.length;
  }

  get #mayWait(): boolean {
    return this.#options.checkpoint?.isRunning === true;
  }

  add(item: Item): void {
    const isBehind = !this.isDurable;
    this.#items.push(item);
    if (this.#failure || this.#isStopped) return;
    const isKept = this.#journalsNow && !isBehind && this.#appendToJournal();
    if (!isKept) this.#schedule();
  }

  /**
   * Adds a write of other tables, in one transaction with all items added before it. The journal cannot hold such a write, so nothing is
   * journaled until it is written. After a failed attempt the write may already be committed and is repeated, so repeating it must be
   * harmless.
   */
  addWrite(write: () => void): void {
    this.#writes.push(write);
    if (!this.#failure && !this.#isStopped) this.#schedule();
  }

  /** Whether all items are durable, so that no caller has to wait. */
  get isDurable(): boolean {
    return this.#journaled === this.#items.length && this.#writes.length === 0;
  }

  /** Resolves when all items are durable; rejects if the next attempt fails, or after `stop`. */
  attempted(): Promise<void> {
    if (this.#isStopped) return refused();
    this.#attempt ??= Promise.withResolvers();
    return this.#attempt.promise;
  }

  /** Resolves when all items are durable, however many attempts that takes; rejects after `stop`. */
  durable(): Promise<void> {
    if (this.#isStopped) return refused();
    this.#success ??= Promise.withResolvers();
    return this.#success.promise;
  }

  /** Writes all items to the database now. If that fails, throws the error of SQLite, and the items are retried. */
  flush(): void {
    if (this.#items.length + this.#writes.length === 0) return;
    try {
      this.#transact();
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#fail(error);
      throw error;
    }
    this.#succeed();
  }

  /** Writes all items, not only some: the journal can only be cleared as a whole. */
  runSlice(): void {
    if (this.waiting > 0) this.#tryToFlush();
  }

  /** Writes all items, with retries until `expired`, and stops. Returns an error that names the unwritten items, if there are any. */
  async finish(expired: CancelSignal): Promise<Error | undefined> {
    while (!this.#tryToFlush() && !expired.aborted) await Bun.sleep(FIRST_RETRY_MS);
    this.stop();
    return this.#failure && unwrittenEntriesError(this.#failure, this.#items.length, this.#journaled);
  }

  /** Stops writing in the background. Later promises reject. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
  }

  /** Schedules a write for the end of the turn of the event loop, after all work for requests in this turn. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#try();
    });
  }

  #try(): void {
    if (this.#isStopped || this.#appendToJournal()) return;
    if (this.#writes.length > 0 && this.#mayWait && !this.#failure) this.#writing ??= setTimeout(() => this.#writeLater(), WRITE_AFTER_MS);
    else this.#tryToFlush();
  }

  /** Returns whether the flush succeeded. Otherwise waiting requests were rejected and a retry is scheduled. */
  #tryToFlush(): boolean {
    try {
      this.flush();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * With concurrent requests, the entries of a turn are journaled together, and their requests continue together. Each step then finds the
   * code and data of the previous step in the processor's caches, which takes a fifth less CPU time.
   */
  get #journalsNow(): boolean {
    return this.#options.journalsEach && this.#options.isAlone();
  }

  /** Appends new items to the journal, and schedules the transaction. Returns whether that worked. */
  #appendToJournal(): boolean {
    if (this.#failure || this.isDurable || this.#writes.length > 0) return false;
    try {
      if (!this.#options.appendToJournal(this.#items, this.#journaled)) return false;
    } catch {
      // The items go to the database instead.
      return false;
    }
    this.#journaled = this.#items.length;
    this.#writing ??= setTimeout(() => this.#writeLater(), WRITE_AFTER_MS);
    this.#resolveDurable();
    return true;
  }

  #writeLater(): void {
    this.#writing = this.#mayWait ? setTimeout(() => this.#writeLater(), WRITE_AFTER_MS) : undefined;
    this.runSlice();
  }

  #transact(): void {
    this.#begin.run();
    try {
      this.#options.write(this.#items, this.#failure !== undefined);
      for (const write of this.#writes) write();
      this.#commit.run();
    } catch (error) {
      // Some errors roll back the transaction by themselves; a second rollback would throw.
      const { file } = this.#options;
      if (file.inTransaction) file.run("rollback");
      throw error;
    }
  }

  #fail(error: Error): void {
    if (!this.#failure) this.#options.report(error.message);
    this.#failure = error;
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#try(), this.#retryMs);
    this.#attempt?.reject(error);
    this.#attempt = undefined;
  }

  #succeed(): void {
    if (this.#failure) this.#options.report(undefined);
    this.#failure = undefined;
    this.#retryMs = 0;
    const items = this.#items;
    this.#items = [];
    this.#writes = [];
    this.#journaled = 0;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
    this.#writing = undefined;
    if (items.length > 0) this.#options.written(items);
    this.#options.checkpoint?.committed();
    this.#resolveDurable();
  }

  #resolveDurable(): void {
    this.#attempt?.resolve();
    this.#success?.resolve();
    this.#attempt = this.#success = undefined;
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error("the ledger is closed"));
}

/** The error that an operator gets if the ledger closes with entries that are not in the database. It says what happens to them. */
function unwrittenEntriesError(failure: Error, unwritten: number, journaled: number): Error {
  const inJournal = `${count(journaled)} in ledger-journal, and the next start writes ${journaled === 1 ? "it" : "them"} to the database`;
  const lost = unwritten - journaled;
  // Before its entry was durable, no caller received a complete response, and no operator a success.
  const inMemory = `${count(lost)} in no file: no caller received a success, and the next start closes the holds of their requests`;
  const parts = [...(journaled > 0 || lost === 0 ? [inJournal] : []), ...(lost > 0 ? [inMemory] : [])];
  return new Error(`the database cannot be written (${failure.message}): ${parts.join("; ")}`);
}

function count(entries: number): string {
  return entries === 1 ? "1 entry is" : `${entries} entries are`;
}
