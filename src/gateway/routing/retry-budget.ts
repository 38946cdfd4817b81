/** What each request adds: retries are a fifth of the traffic at most. */
const PER_REQUEST = 0.2;

/** A quiet gateway may retry too. */
const PER_SECOND = 0.1;

/** What there is at the start. */
const RESERVE = 10;

/** What is saved up at most: those who are under way when an upstream falls fail together. */
const MOST = 100;

/**
 * How many second tries a model has: in a storm they would only make it worse, and a caller's own client tries again as well. Each
 * request adds a part of one.
 */
export class RetryBudget {
  readonly #nowMs: () => number;
  #left = RESERVE;
  #atMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#atMs = nowMs();
  }

  noteRequest(): void {
    this.#left = Math.min(MOST, this.#left + PER_REQUEST);
  }

  /** Takes one, if there is one. */
  take(): boolean {
    const nowMs = this.#nowMs();
    this.#left = Math.min(MOST, this.#left + ((nowMs - this.#atMs) / 1000) * PER_SECOND);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** The budget of each model, by its id. */
export class RetryBudgets {
  readonly #nowMs: () => number;
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(modelId: string): RetryBudget {
    let budget = this.#budgets.get(modelId);
    if (!budget) this.#budgets.set(modelId, (budget = new RetryBudget(this.#nowMs)));
    return budget;
  }
}
