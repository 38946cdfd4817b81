import type { MirrorResult } from "../../../requests/mirror-result.ts";
import { truncate } from "../../../lib/text/truncate.ts";

const WRITE_EVERY_MS = 500;
/** A result takes less than 2 KB. */
const MAX_QUEUED_RESULTS = 1000;
const MAX_DETAIL_LENGTH = 500;
const RESULTS_AT_ONCE = 100;

/** Writes results, and returns whether that succeeded: a failed write is repeated. Never throws. */
type WriteResults = (results: readonly MirrorResult[]) => Promise<boolean>;

/**
 * A bounded queue of the results of mirrored requests. They are best effort, like the request log: if the queue is full, a result is
 * dropped.
 */
export class MirrorQueue {
  readonly #write: WriteResults;
  readonly #redactSecrets: (text: string) => string;
  #results: MirrorResult[] = [];
  #writing: Promise<boolean> | undefined;
  /** Undefined until the first result, because most gateways have none. */
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(write: WriteResults, redactSecrets: (text: string) => string) {
    this.#write = write;
    this.#redactSecrets = redactSecrets;
  }

  /** Adds results of this process or of another process. */
  add(...results: readonly MirrorResult[]): void {
    if (this.#isClosed) return;
    for (const result of results) {
      if (this.#results.length >= MAX_QUEUED_RESULTS) return;
      const { detail } = result;
      this.#results.push({ ...result, detail: detail && truncate(this.#redactSecrets(detail), MAX_DETAIL_LENGTH) });
    }
    this.#timer ??= setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** Writes the results that are queued now, unless a write fails. */
  async flush(): Promise<void> {
    for (let left = this.#results.length; left > 0 && this.#results.length > 0; left -= RESULTS_AT_ONCE) {
      if (!(await this.#writeOldest())) return;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    this.#isClosed = true;
  }

  #writeOldest(): Promise<boolean> {
    this.#writing ??= this.#writeBatch().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#results.slice(0, RESULTS_AT_ONCE);
    if (!(await this.#write(batch))) return false;
    this.#results.splice(0, batch.length);
    return true;
  }
}
