import type { Actor } from "../access/access.ts";
import { MAX_EXPORTS } from "../access/request-export.ts";
import { ApiError } from "../requests/api-error.ts";

const RETRY_AFTER_SECONDS = 2;

/** Limits per person. A page shows several reports at once; a person reads one preview at a time. */
const MAX_CONCURRENT = {
  preview: 1,
  "usage report": 8,
  "request statistic": 8,
  "request scan": 4,
  "background export": MAX_EXPORTS,
} as const;

/**
 * Concurrency limit per person for expensive reports. Reports read much of the ledger and wait for each other, so one person with many of
 * them would block all others. A person's access tokens count as the person.
 */
export class ConcurrencyLimit {
  readonly #inFlight = new Map<string, number>();

  /** Counts until the work is done, even when the client disconnects: reconnecting must not free a slot. */
  async run<T>({ id }: Actor, kind: keyof typeof MAX_CONCURRENT, work: () => Promise<T>): Promise<T> {
    const which = `${kind} ${id}`;
    const count = this.#inFlight.get(which) ?? 0;
    if (count >= MAX_CONCURRENT[kind]) {
      const message = `You have ${count} unfinished ${kind}${count === 1 ? "" : "s"}. Try again in a moment.`;
      throw new ApiError("too_many_attempts", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#inFlight.set(which, count + 1);
    try {
      return await work();
    } finally {
      this.#leave(which);
    }
  }

  #leave(which: string): void {
    const left = this.#inFlight.get(which)! - 1;
    if (left === 0) this.#inFlight.delete(which);
    else this.#inFlight.set(which, left);
  }
}
