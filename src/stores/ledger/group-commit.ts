import type { Database as SqliteFile, Statement } from "bun:sqlite";

const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 500;
/** How long what is in the journal waits for more, to be written to the database with it. */
const WRITE_AFTER_MS = 10;

export interface GroupCommitOptions<Item> {
  readonly file: SqliteFile;
  /**
   * Puts a group into the journal, where it is durable until it is written. False where there is no place for it: then it is written
   * at once.
   */
  readonly keep: (items: readonly Item[]) => boolean;
  /** Puts a group into the open transaction. After a failed attempt some of it may be there already: a retry must look. */
  readonly write: (items: readonly Item[], isRetry: boolean) => void;
  /** Called when a group is in the database, before anybody else is told. */
  readonly written: (items: readonly Item[]) => void;
  /** Hears when writing fails, and, with undefined, when it works again. */
  readonly report: (trouble: string | undefined) => void;
}

/**
 * Makes durable what comes up, all of one turn of the event loop together: by one write to the journal, and a moment later, with what
 * has come up since, by a transaction of the embedded database. Or by that at once, where there is no journal or it cannot take it: a
 * commit costs much more than a row. What could not be written waits and is tried again until it is; nothing is dropped.
 */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>;
  readonly #begin: Statement;
  readonly #commit: Statement;
  /** What is not in the database, and how much of it, from the first on, is in the journal. */
  #items: Item[] = [];
  #kept = 0;
  #writing: Timer | undefined;
  #isScheduled = false;
  #isStopped = false;
  #retryMs = 0;
  #retry: Timer | undefined;
  #trouble: Error | undefined;
  #attempt = newAttempt();
  #success = Promise.withResolvers<void>();

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
    this.#begin = options.file.prepare("begin immediate");
    this.#commit = options.file.prepare("commit");
  }

  /** Why nothing can be written at the moment, if that is so. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  /** How much of what was added is not in the database yet. */
  get waiting(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#isScheduled || this.#trouble || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#try();
    });
  }

  /** Resolves when all that was added is durable; rejects if the next attempt at it fails. */
  attempted(): Promise<void> {
    return this.#isStopped ? refused() : this.#attempt.promise;
  }

  /** Resolves when all that was added is durable, however many attempts that takes. */
  durable(): Promise<void> {
    return this.#isStopped ? refused() : this.#success.promise;
  }

  /** Writes at once what was added to the database. Throws where that fails; it then waits like everything else. */
  flush(): void {
    if (this.#items.length === 0) return;
    const attempt = this.#attempt;
    this.#attempt = newAttempt();
    try {
      this.#transact();
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#fail(error);
      attempt.reject(error);
      throw error;
    }
    this.#succeed();
    attempt.resolve();
  }

  /** Writes no more by itself. Whoever comes after it and waits is told so. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
  }

  #try(): void {
    if (this.#isStopped || this.#keep()) return;
    try {
      this.flush();
    } catch {
      // Whoever waits has been told, and another try is due.
    }
  }

  /** Puts what is new into the journal, and lets the database wait. Whether that is done. */
  #keep(): boolean {
    if (this.#trouble || this.#kept === this.#items.length) return false;
    try {
      if (!this.#options.keep(this.#items.slice(this.#kept))) return false;
    } catch {
      // The database is the other place for it.
      return false;
    }
    this.#kept = this.#items.length;
    this.#writing ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
    const attempt = this.#attempt;
    this.#attempt = newAttempt();
    this.#resolve();
    attempt.resolve();
    return true;
  }

  #write(): void {
    try {
      this.flush();
    } catch {
      // Nobody waits for this, and another try is due.
    }
  }

  #transact(): void {
    this.#begin.run();
    try {
      this.#options.write(this.#items, this.#trouble !== undefined);
      this.#commit.run();
    } catch (error) {
      // Some errors end the transaction by themselves; rolling back then is an error that means nothing.
      const { file } = this.#options;
      if (file.inTransaction) file.run("rollback");
      throw error;
    }
  }

  #fail(error: Error): void {
    if (!this.#trouble) this.#options.report(error.message);
    this.#trouble = error;
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#try(), this.#retryMs);
  }

  #succeed(): void {
    if (this.#trouble) this.#options.report(undefined);
    this.#trouble = undefined;
    this.#retryMs = 0;
    const items = this.#items;
    this.#items = [];
    this.#kept = 0;
    clearTimeout(this.#retry);
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#options.written(items);
    this.#resolve();
  }

  #resolve(): void {
    this.#success.resolve();
    this.#success = Promise.withResolvers<void>();
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error("the ledger is closed"));
}

/** An attempt that nobody waits for may fail all the same. */
function newAttempt(): PromiseWithResolvers<void> {
  const attempt = Promise.withResolvers<void>();
  attempt.promise.catch(() => undefined);
  return attempt;
}
