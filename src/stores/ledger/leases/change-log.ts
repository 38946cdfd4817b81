import type { ProcessJournal } from "../journal/process-journal.ts";
import type { ProcessChange } from "./process-change.ts";

const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 500;
/** About 40 KB. */
const MAX_GROUP = 100;

/**
 * Makes the changes of a gateway process durable in its journal: each change at once while requests run one at a time, otherwise the
 * changes of one turn of the event loop together. Changes that cannot be written are retried until they are written; none is dropped.
 */
export class ChangeLog {
  readonly #journal: ProcessJournal;
  readonly #isAlone: () => boolean;
  /** The changes that are not in the journal. */
  #waiting: ProcessChange[] = [];
  #isScheduled = false;
  #retryMs = 0;
  #retry: Timer | undefined;
  #failure: Error | undefined;
  /** The promises that wait for an attempt: rejected by the next failed attempt, fulfilled only by success. */
  #attempt: PromiseWithResolvers<void> | undefined;
  #success: PromiseWithResolvers<void> | undefined;

  /** `isAlone`: whether at most one request was in flight at any time recently. */
  constructor(journal: ProcessJournal, isAlone: () => boolean) {
    this.#journal = journal;
    this.#isAlone = isAlone;
  }

  /** The error of the last write, while the journal cannot be written. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether all changes are in the journal, so that no caller has to wait. */
  get isDurable(): boolean {
    return this.#waiting.length === 0;
  }

  add(change: ProcessChange): void {
    this.#waiting.push(change);
    if (this.#failure) return;
    if (this.#journal.isCheapPerEntry && this.#waiting.length === 1 && this.#isAlone() && this.#write() === undefined) return;
    this.#schedule();
  }

  /** Resolves when all changes are durable; rejects if the next attempt fails. */
  attempted(): Promise<void> {
    this.#attempt ??= Promise.withResolvers();
    return this.#attempt.promise;
  }

  /** Resolves when all changes are durable, however many attempts that takes. */
  durable(): Promise<void> {
    this.#success ??= Promise.withResolvers();
    return this.#success.promise;
  }

  /** Writes the waiting changes, and stops. Returns whether all of them are in the journal. */
  close(): boolean {
    clearTimeout(this.#retry);
    if (!this.isDurable) this.#write();
    this.#journal.close();
    return this.isDurable;
  }

  /**
   * Schedules one write for the changes of this turn of the event loop: with concurrent requests that takes a fifth less CPU time, as in
   * the group commit.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#try();
    });
  }

  #try(): void {
    if (this.isDurable) return;
    const error = this.#write();
    if (error) this.#fail(error);
    else this.#succeed();
  }

  /** Writes in groups that fit into a segment of the journal. Returns the error, if any. */
  #write(): Error | undefined {
    try {
      for (let size = MAX_GROUP; this.#waiting.length > 0;) {
        if (this.#journal.append(this.#waiting.slice(0, size))) this.#waiting = this.#waiting.slice(size);
        else if (size === 1) return new Error("the journal is full, because the authority over credit has not answered");
        else size = Math.ceil(size / 2);
      }
    } catch (thrown) {
      return thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    return undefined;
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    this.#retry = setTimeout(() => this.#try(), this.#retryMs);
    this.#attempt?.reject(error);
    this.#attempt = undefined;
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#retryMs = 0;
    this.#attempt?.resolve();
    this.#success?.resolve();
    this.#attempt = this.#success = undefined;
  }
}
