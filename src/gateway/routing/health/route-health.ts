import type { RouteState } from "../../../models/upstream-health.ts";

/** After so many failures in a row a route is out. */
const MAX_FAILURES_IN_A_ROW = 5;

/** As it is when half of so many of the last calls have failed. */
const RECENT_CALLS = 20;

/** For how long, the first time; each time that it fails again on its return doubles it. */
const FIRST_EJECTION_MS = 5_000;
const LONGEST_EJECTION_MS = 300_000;

/** How fast slow answers are forgotten. */
const LATENCY_FADES_MS = 10_000;

/** How fast failures are, in the choice between two: what does not fail often enough to be left out is tried again as soon. */
const FAILURES_FADE_MS = 2_000;

/** So many good calls are taken for granted: one failure of one call is not yet a failure of all. */
const CALLS_ON_TRUST = 2;

/** A caller who left after this long has waited for nothing. One who leaves earlier may have had any reason. */
const LONG_WAIT_MS = 30_000;

/** A call under way. It ends once, by `succeeded`, `failed`, `refused` or `abandoned`. */
export interface RouteCall {
  /** How often the route had been left out when it began: what it did before says nothing about how it comes back. */
  readonly ejections: number;
}

/**
 * How one model fares at one upstream: how fast it has answered, how much it has to do, and whether it is left out for now because
 * it failed too often. A route that was left out long enough gets one call to show that it is back.
 */
export class RouteHealth {
  readonly #nowMs: () => number;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #latencyAtMs = 0;
  #lastLatencyMs: number | undefined;
  /** Whether a call began after the last answer. */
  #isAwaited = false;
  #failuresInARow = 0;
  /** The last calls, the newest lowest: a bit is set where one failed. */
  #recentFailures = 0;
  #recentCalls = 0;
  readonly #calls: FadingCount;
  readonly #failures: FadingCount;
  #isOut = false;
  #outUntilMs = 0;
  #ejections = 0;
  /** How often it was left out since it last did well. */
  #relapses = 0;
  #probe: RouteCall | undefined;

  /** By a clock that is never set back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#calls = new FadingCount(nowMs);
    this.#failures = new FadingCount(nowMs);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** `in` use; `out`, until later; or `due` for a call that shows whether it is back. */
  get state(): RouteState {
    if (!this.#isOut) return "in";
    return this.#probe || this.#nowMs() < this.#outUntilMs ? "out" : "due";
  }

  /** When one that is out is due again. 0 for one that is in use. */
  get dueInMs(): number {
    return this.#isOut ? Math.max(0, this.#outUntilMs - this.#nowMs()) : 0;
  }

  /**
   * What it takes to begin an answer, lately: at once as long as the slowest, and shorter again with time, so that one that was slow
   * is tried again. Not while that try is under way: one that hangs would look faster and faster. Undefined where nothing is known.
   */
  get latencyMs(): number | undefined {
    if (this.#latencyMs === undefined) return undefined;
    const isOnTrial = this.#isAwaited && this.#inFlight > 0;
    return isOnTrial ? this.#latencyMs : this.#latencyMs * fade(this.#nowMs() - this.#latencyAtMs, LATENCY_FADES_MS);
  }

  /** What the last answer took to begin, for people: what the choice goes by fades, and says nothing of one that is idle. */
  get lastLatencyMs(): number | undefined {
    return this.#lastLatencyMs;
  }

  /** Which part of its calls has failed, lately. */
  get failureRate(): number {
    return this.#failures.value / (this.#calls.value + CALLS_ON_TRUST);
  }

  /** How many of the last calls have failed. */
  get recent(): { readonly calls: number; readonly failures: number } {
    return { calls: this.#recentCalls, failures: countBits(this.#recentFailures) };
  }

  begin(): RouteCall {
    const call = { ejections: this.#ejections };
    if (this.state === "due") this.#probe = call;
    this.#inFlight++;
    this.#isAwaited = true;
    return call;
  }

  /** Its answer has begun. One that was out is back; whether it stays depends on how the answer ends. */
  answered(call: RouteCall, latencyMs: number): void {
    this.#lastLatencyMs = latencyMs;
    if (this.#isOld(call)) return;
    if (this.#isOut) this.#takeBack();
    this.#observe(latencyMs);
  }

  /** Its answer was whole. */
  succeeded(call: RouteCall): void {
    this.#inFlight--;
    if (this.#isOld(call)) return;
    if (this.#isOut) this.#takeBack();
    this.#note(0);
    this.#failuresInARow = 0;
    this.#relapses = 0;
  }

  failed(call: RouteCall, latencyMs: number): void {
    this.#inFlight--;
    if (this.#isOld(call)) return;
    this.#isAwaited = false;
    // A fast failure says nothing about how fast it is.
    if (this.#latencyMs !== undefined && latencyMs > this.#latencyMs) this.#observe(latencyMs);
    this.#note(1);
    this.#failuresInARow++;
    if (this.#isOut ? call === this.#probe : this.#isOutlier()) this.#eject();
  }

  /** It would not do this, because of the request or the credential. That says nothing about what else it can do. */
  refused(call: RouteCall): void {
    this.#inFlight--;
    if (call === this.#probe) this.#probe = undefined;
  }

  /** Nobody waited for its answer. */
  abandoned(call: RouteCall, waitedMs: number): void {
    this.#inFlight--;
    if (this.#isOld(call)) return;
    if (call === this.#probe) this.#putOff();
    // It takes at least that long: one that hangs loses its calls, however soon callers lose their patience.
    if (this.#latencyMs === undefined || waitedMs > this.#latencyMs) this.#observe(waitedMs);
    if (waitedMs < LONG_WAIT_MS) return;
    this.#failuresInARow++;
    if (!this.#isOut && this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) this.#eject();
  }

  #isOld({ ejections }: RouteCall): boolean {
    return ejections !== this.#ejections;
  }

  /** Peak-sensitive average: a slower answer counts at once, a faster one bit by bit. */
  #observe(latencyMs: number): void {
    const nowMs = this.#nowMs();
    const before = this.#latencyMs ?? latencyMs;
    const kept = latencyMs > before ? 0 : fade(Math.max(nowMs - this.#latencyAtMs, 1), LATENCY_FADES_MS);
    this.#latencyMs = before * kept + latencyMs * (1 - kept);
    this.#latencyAtMs = nowMs;
    this.#isAwaited = false;
  }

  #note(failure: 0 | 1): void {
    this.#recentFailures = ((this.#recentFailures << 1) | failure) & ((1 << RECENT_CALLS) - 1);
    this.#recentCalls = Math.min(this.#recentCalls + 1, RECENT_CALLS);
    this.#calls.add(1);
    this.#failures.add(failure);
  }

  #isOutlier(): boolean {
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) return true;
    return this.#recentCalls === RECENT_CALLS && countBits(this.#recentFailures) * 2 >= RECENT_CALLS;
  }

  #eject(): void {
    this.#isOut = true;
    this.#ejections++;
    this.#relapses++;
    this.#putOff();
    // The first failure after its return is enough.
    this.#failuresInARow = MAX_FAILURES_IN_A_ROW;
  }

  #putOff(): void {
    this.#probe = undefined;
    this.#outUntilMs = this.#nowMs() + Math.min(FIRST_EJECTION_MS * 2 ** (this.#relapses - 1), LONGEST_EJECTION_MS);
  }

  /** From here on it has its share again, as if it were new: what is remembered of its bad time would keep the calls away. */
  #takeBack(): void {
    this.#isOut = false;
    this.#probe = undefined;
    this.#latencyMs = undefined;
    this.#recentCalls = 0;
    this.#recentFailures = 0;
    this.#calls.clear();
    this.#failures.clear();
  }
}

/** A count in which what is long ago counts less and less. */
class FadingCount {
  readonly #nowMs: () => number;
  #value = 0;
  #atMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get value(): number {
    return this.#value * fade(this.#nowMs() - this.#atMs, FAILURES_FADE_MS);
  }

  add(count: number): void {
    this.#value = this.value + count;
    this.#atMs = this.#nowMs();
  }

  clear(): void {
    this.#value = 0;
  }
}

/** What is left after a while. */
function fade(elapsedMs: number, scaleMs: number): number {
  return Math.exp(-elapsedMs / scaleMs);
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
