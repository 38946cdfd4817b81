import { messageOf } from "../days/day-errors.ts";

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;

/** Why the log cannot be written at the moment, and when to retry: with exponential backoff. */
export class WriteFailures {
  readonly #report: (failure: string | undefined) => void;
  readonly #problem: () => string | undefined;
  #failure: string | undefined;
  #retryMs = 0;
  #retryAt = 0;

  /** `report` is called when the log becomes unwritable, and with undefined when it is writable again. `problem` is another reason, such as a full log. */
  constructor(report: (failure: string | undefined) => void, problem: () => string | undefined) {
    this.#report = report;
    this.#problem = problem;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get isRetryDue(): boolean {
    return performance.now() >= this.#retryAt;
  }

  fail(error: unknown): void {
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = performance.now() + this.#retryMs;
    this.#set(messageOf(error));
  }

  succeed(): void {
    this.#retryMs = 0;
    this.#set(this.#problem());
  }

  #set(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#report(failure);
  }
}
