/** After so many failures in a row a route is out. */
const MAX_CONSECUTIVE_FAILURES = 5;

/** As it is when half of so many of the last calls have failed. */
const RECENT_CALLS = 20;

/** For how long, the first time; each failed probe doubles it. */
const FIRST_EJECTION_MS = 5_000;
const LONGEST_EJECTION_MS = 300_000;

/** How fast a slow answer is forgotten. */
const DECAY_MS = 10_000;

/** A failure weighs like an answer that took this long: a server that fails at once must not look like a fast one. */
const FAILURE_MS = 10_000;

/**
 * How one model fares at one upstream: how fast it has answered, how much it has to do, and whether it is left out for now because
 * it failed too often. A route that was left out long enough gets one call to show that it is back.
 */
export class RouteHealth {
  readonly #nowMs: () => number;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #latencyAtMs = 0;
  #failuresInARow = 0;
  /** The last calls, the newest lowest: a bit is set where one failed. */
  #recentFailures = 0;
  #recentCalls = 0;
  #ejectedUntilMs = 0;
  #ejections = 0;
  #isProbed = false;

  /** By a clock that is never set back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** `in` use; `out`, until later; or `due` for a call that shows whether it is back. */
  get state(): "in" | "out" | "due" {
    if (this.#ejections === 0) return "in";
    return this.#isProbed || this.#nowMs() < this.#ejectedUntilMs ? "out" : "due";
  }

  /** When one that is out is due again. 0 for one that is in use. */
  get dueInMs(): number {
    return this.#ejections === 0 ? 0 : Math.max(0, this.#ejectedUntilMs - this.#nowMs());
  }

  /** What it has taken to answer, lately: at once as long as the slowest answer, and shorter again with time. Undefined where nothing is known. */
  get latencyMs(): number | undefined {
    return this.#latencyMs === undefined ? undefined : this.#latencyMs * Math.exp((this.#latencyAtMs - this.#nowMs()) / DECAY_MS);
  }

  /** How many of the last calls have failed. */
  get recent(): { readonly calls: number; readonly failures: number } {
    return { calls: this.#recentCalls, failures: countBits(this.#recentFailures) };
  }

  begin(): void {
    this.#inFlight++;
    if (this.state === "due") this.#isProbed = true;
  }

  end(): void {
    this.#inFlight--;
  }

  /** It has answered; or, without a time, refused what was wrong, which is soon done: either way it is there. */
  succeeded(latencyMs: number | undefined): void {
    if (latencyMs !== undefined) this.#observe(latencyMs);
    this.#note(0);
    this.#failuresInARow = 0;
    this.#ejections = 0;
    this.#isProbed = false;
  }

  failed(latencyMs: number): void {
    this.#observe(Math.max(latencyMs, FAILURE_MS));
    this.#note(1);
    this.#failuresInARow++;
    if (this.#isProbed || (this.#ejections === 0 && this.#isOutlier())) this.#eject();
    this.#isProbed = false;
  }

  /** Nobody waited for the end, so nothing is known. */
  leftOpen(): void {
    this.#isProbed = false;
  }

  /** Peak-sensitive average: a slower answer counts at once, a faster one bit by bit. */
  #observe(latencyMs: number): void {
    const before = this.latencyMs ?? latencyMs;
    const elapsedMs = this.#nowMs() - this.#latencyAtMs;
    const kept = latencyMs > before ? 0 : Math.exp(-Math.max(elapsedMs, 1) / DECAY_MS);
    this.#latencyMs = before * kept + latencyMs * (1 - kept);
    this.#latencyAtMs = this.#nowMs();
  }

  #note(failure: 0 | 1): void {
    this.#recentFailures = ((this.#recentFailures << 1) | failure) & ((1 << RECENT_CALLS) - 1);
    this.#recentCalls = Math.min(this.#recentCalls + 1, RECENT_CALLS);
  }

  #isOutlier(): boolean {
    if (this.#failuresInARow >= MAX_CONSECUTIVE_FAILURES) return true;
    return this.#recentCalls === RECENT_CALLS && countBits(this.#recentFailures) * 2 >= RECENT_CALLS;
  }

  #eject(): void {
    const forMs = Math.min(FIRST_EJECTION_MS * 2 ** this.#ejections, LONGEST_EJECTION_MS);
    this.#ejections++;
    this.#ejectedUntilMs = this.#nowMs() + forMs;
    // What it did before says nothing about how it comes back.
    this.#recentCalls = 0;
    this.#recentFailures = 0;
  }
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
