import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { BackgroundTask } from "../../../lib/async/background-task.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { unwrittenEntriesError } from "./unwritten-entries-error.ts";

const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 500;
/** How long what is in the journal waits for more, to be written to the database with it. */
const WRITE_AFTER_MS = 10;

export interface GroupCommitOptions<Item> {
  readonly file: SqliteFile;
  /**
   * Puts those from one on into the journal, where they are durable until they are written. False where there is no place for them:
   * then they are written at once.
   */
  readonly keep: (items: readonly Item[], from: number) => boolean;
  /** Whether that costs so little that one who is alone does not wait for the end of the turn. */
  readonly journalsEach: boolean;
  /** Whether no two requests were under way at once since everything was written. */
  readonly isAlone: () => boolean;
  /** While one is under way, what is in the journal waits there. */
  readonly checkpoint: Pick<Checkpoint, "isRunning" | "committed"> | undefined;
  /** Puts a group into the open transaction. After a failed attempt some of it may be there already: a retry must look. */
  readonly write: (items: readonly Item[], isRetry: boolean) => void;
  /** Called when a group is in the database, before anybody else is told. */
  readonly written: (items: readonly Item[]) => void;
  /** Hears when writing fails, and, with undefined, when it works again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * Makes durable what comes up: in the journal, at once or all of one turn of the event loop together, and a moment later, with
 * what has come up since, by a transaction of the embedded database. Where there is no journal or it cannot take it, that is done at
 * the end of the turn: a commit costs much more than a row. What could not be written waits and is tried again until it is; nothing is
 * dropped.
 */
export class GroupCommit<Item> implements BackgroundTask {
  readonly #options: GroupCommitOptions<Item>;
  readonly #begin: Statement;
  readonly #commit: Statement;
  /** What is not in the database, and how much of it, from the first on, is in the journal. */
  #items: Item[] = [];
  #journaled = 0;
  #writing: Timer | undefined;
  #isScheduled = false;
  #isStopped = false;
  #retryMs = 0;
  #retry: Timer | undefined;
  #failure: Error | undefined;
  /** What those wait for to whom nothing durable could be given at once. */
  #attempt: PromiseWithResolvers<void> | undefined;
  #success: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
    // By `query`: these end with the file, which one that was prepared by hand would keep open.
    this.#begin = options.file.query("begin immediate");
    this.#commit = options.file.query("commit");
  }

  /** Why nothing can be written at the moment, if that is so. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** How much of what was added is not in the database yet. */
  get unwritten(): number {
    return this.#items.length;
  }

  /** What was added and is not known to be in the database. */
  get items(): readonly Item[] {
    return this.#items;
  }

  get waiting(): number {
    return this.#failure || this.#isStopped || this.#mayWait ? 0 : this.#items.length;
  }

  get #mayWait(): boolean {
    return this.#options.checkpoint?.isRunning === true;
  }

  add(item: Item): void {
    const isBehind = !this.isDurable;
    this.#items.push(item);
    if (this.#failure || this.#isStopped) return;
    const isKept = this.#journalsNow && !isBehind && this.#keep();
    if (!isKept) this.#schedule();
  }

  /** Whether all that was added is durable already, so that nobody has to wait. */
  get isDurable(): boolean {
    return this.#journaled === this.#items.length;
  }

  /** Resolves when all that was added is durable; rejects if the next attempt at it fails. */
  attempted(): Promise<void> {
    if (this.#isStopped) return refused();
    this.#attempt ??= Promise.withResolvers();
    return this.#attempt.promise;
  }

  /** Resolves when all that was added is durable, however many attempts that takes. */
  durable(): Promise<void> {
    if (this.#isStopped) return refused();
    this.#success ??= Promise.withResolvers();
    return this.#success.promise;
  }

  /** Writes at once what was added to the database. Throws where that fails; it then waits like everything else. */
  flush(): void {
    if (this.#items.length === 0) return;
    try {
      this.#transact();
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#fail(error);
      throw error;
    }
    this.#succeed();
  }

  /** Writes all of it: the journal is cleared as a whole. */
  runSlice(): void {
    if (this.waiting > 0) this.#tryToFlush();
  }

  /** Writes what is left, retrying until `expired`, and then no more. Returns what is left over, if anything is. */
  async finish(expired: CancelSignal): Promise<Error | undefined> {
    while (!this.#tryToFlush() && !expired.aborted) await Bun.sleep(FIRST_RETRY_MS);
    this.stop();
    return this.#failure && unwrittenEntriesError(this.#failure, this.#items.length, this.#journaled);
  }

  /** Writes no more by itself. Whoever comes after it and waits is told so. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
  }

  /** At the end of the turn, when all that it could do for its requests is done. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#try();
    });
  }

  #try(): void {
    if (this.#isStopped || this.#keep()) return;
    this.#tryToFlush();
  }

  /** Returns whether it succeeded. Where it did not, waiting requests were rejected and a retry is scheduled. */
  #tryToFlush(): boolean {
    try {
      this.flush();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Where many requests are under way, those of a turn are kept together and go on together: each step then finds code and data of the
   * one before still at hand, which takes a fifth less of the processor.
   */
  get #journalsNow(): boolean {
    return this.#options.journalsEach && this.#options.isAlone();
  }

  /** Puts what is new into the journal, and lets the database wait. Whether that is done. */
  #keep(): boolean {
    if (this.#failure || this.isDurable) return false;
    try {
      if (!this.#options.keep(this.#items, this.#journaled)) return false;
    } catch {
      // The database is the other place for it.
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
      this.#commit.run();
    } catch (error) {
      // Some errors end the transaction by themselves; rolling back then is an error that means nothing.
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
    this.#journaled = 0;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#options.written(items);
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
