/** The retries that each request adds to the budget: a fifth, so that retries are at most a fifth of the traffic. */
const PER_REQUEST = 0.2;

/** The retries that are added over time, so that a gateway with little traffic may retry too. */
const PER_SECOND = 0.1;

/** The budget at the start. */
const INITIAL = 10;

/** The maximum budget: the requests in flight when an upstream goes down fail together. */
const MAX = 100;

/**
 * The retry budget of a model. During an outage retries add load, and clients retry as well, so they are limited to a part of the traffic.
 */
export class RetryBudget {
  readonly #nowMs: () => number;
  #retries = INITIAL;
  #atMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#atMs = nowMs();
  }

  noteRequest(): void {
    this.#retries = Math.min(MAX, this.#retries + PER_REQUEST);
  }

  /** Takes one retry, if the budget has one. */
  take(): boolean {
    const nowMs = this.#nowMs();
    this.#retries = Math.min(MAX, this.#retries + ((nowMs - this.#atMs) / 1000) * PER_SECOND);
    this.#atMs = nowMs;
    if (this.#retries < 1) return false;
    this.#retries -= 1;
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
