import { CONCURRENCY_AT, type RateLimits, WINDOW_LIMITS } from "../../money/limits.ts";
import type { WindowAmounts } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope, LimitStates, LimitTicket, ScopeName } from "./limit-store.ts";
import { RateWindow, type CountedAmount } from "./rate-window.ts";

/**
 * How often idle counters are swept: each is removed after about a minute. This takes about 20 µs per second for 10,000 keys, and 200 µs
 * for 100,000 end users.
 */
const SWEEP_EVERY_MS = 1000;
const MIN_SWEPT = 256;
const SWEEPS = 64;

/** Longer windows count only where they are limited: otherwise the counters of every caller would stay in memory for as long. */
export const SHORT_WINDOW_MS = 60_000;

/** The counters of one scope. */
export class Counters {
  /** By `WINDOW_LIMITS`. A long window is undefined until it is limited. */
  readonly windows: readonly (RateWindow | undefined)[];
  readonly #windows: (RateWindow | undefined)[];
  concurrent = 0;

  constructor() {
    this.windows = this.#windows = WINDOW_LIMITS.map((limit) => (limit.windowMs > SHORT_WINDOW_MS ? undefined : new RateWindow(limit)));
  }

  /** A window that is limited. */
  windowAt(at: number): RateWindow {
    return (this.#windows[at] ??= new RateWindow(WINDOW_LIMITS[at]!));
  }

  used(at: number, nowMs: number): number {
    return this.windows[at]?.used(nowMs) ?? 0;
  }

  resetMs(at: number, nowMs: number): number {
    return this.windows[at]?.resetMs(nowMs) ?? 0;
  }

  refusalOf(scope: LimitScope, tokens: number, nowMs: number): LimitRefusal | undefined {
    const { amounts } = scope.limits;
    for (let at = 0; at < WINDOW_LIMITS.length; at++) {
      const limit = amounts[at]!;
      if (limit === null) continue;
      const { what, counts } = WINDOW_LIMITS[at]!;
      const window = this.windowAt(at);
      const waitMs = window.waitMs(counts === "tokens" ? tokens : 1, limit, nowMs);
      if (waitMs > 0) return { scope, what, waitMs, remaining: Math.max(0, window.room(limit, nowMs)) };
    }
    const concurrent = amounts[CONCURRENCY_AT]!;
    if (concurrent !== null && this.concurrent >= concurrent) {
      return { scope, what: "concurrent", waitMs: 0, remaining: 0 };
    }
    return undefined;
  }

  /** Whether the counters equal new ones. */
  isIdle(nowMs: number): boolean {
    if (this.concurrent > 0) return false;
    for (const window of this.windows) if (window && !window.isEmpty(nowMs)) return false;
    return true;
  }

  take({ amounts }: RateLimits, tokens: number, nowMs: number): CountedRequest {
    this.concurrent++;
    const counted = new CountedRequest(this);
    for (let at = 0; at < WINDOW_LIMITS.length; at++) {
      const { counts } = WINDOW_LIMITS[at]!;
      const window = amounts[at] === null ? this.windows[at] : this.windowAt(at);
      if (window) counted.add(counts, window.take(counts === "tokens" ? tokens : 1, nowMs));
    }
    return counted;
  }

  /** Counts earlier requests: requests in flight one by one, and the sums of ended requests by window. */
  restore(inFlight: readonly PastRequest[], ended: readonly WindowAmounts[], nowMs: number): CountedRequest[] {
    const requests = inFlight.map(() => new CountedRequest(this));
    for (const [at, { counts }] of WINDOW_LIMITS.entries()) {
      const amounts = ended[at];
      if (!amounts) continue;
      const all = [...inFlight.map(({ ageMs, tokens }) => [ageMs, counts === "tokens" ? tokens : 1] as const), ...amounts];
      const taken = this.windowAt(at).insert(
        all.map(([ageMs, amount]) => [nowMs - ageMs, amount]),
        nowMs,
      );
      for (const [of, counted] of requests.entries()) counted.add(counts, taken[of]!);
    }
    this.concurrent += inFlight.length;
    return requests;
  }
}

/** A request in flight, with its estimated tokens. */
interface PastRequest {
  readonly ageMs: number;
  readonly tokens: number;
}

/** One request in the counters of one scope. */
export class CountedRequest {
  readonly counters: Counters;
  /** Its amounts in the windows of requests, and in the windows of tokens. */
  #requests: CountedAmount | undefined = undefined;
  #tokens: CountedAmount | undefined = undefined;

  constructor(counters: Counters) {
    this.counters = counters;
  }

  add(counts: "requests" | "tokens", taken: CountedAmount): void {
    if (counts === "tokens") {
      taken.next = this.#tokens;
      this.#tokens = taken;
    } else {
      taken.next = this.#requests;
      this.#requests = taken;
    }
  }

  end(tokens: number): void {
    this.counters.concurrent--;
    correct(this.#tokens, tokens);
  }

  undo(): void {
    this.end(0);
    correct(this.#requests, 0);
  }
}

function correct(first: CountedAmount | undefined, amount: number): void {
  for (let taken = first; taken; taken = taken.next) taken.window.correct(taken, amount);
}

/** One request in the counters of all scopes. */
export class Ticket implements LimitTicket {
  readonly #counted: readonly CountedRequest[];

  constructor(counted: readonly CountedRequest[]) {
    this.#counted = counted;
  }

  end(tokens: number): void {
    for (const each of this.#counted) each.end(tokens);
  }

  undo(): void {
    for (const each of this.#counted) each.undo();
  }
}

export const NOTHING_TAKEN = new Ticket([]);

/** The counters of all scopes, by their kind. */
type CountersByKind<C extends { isIdle(nowMs: number): boolean }> = Readonly<Record<ScopeName["kind"], CountersById<C>>>;

export function countersByKind<C extends { isIdle(nowMs: number): boolean }>(create: (name: ScopeName) => C): CountersByKind<C> {
  const of = (kind: ScopeName["kind"]): CountersById<C> => new CountersById((id) => create({ kind, id }));
  return { key: of("key"), account: of("account"), user: of("user"), tag: of("tag"), route: of("route") };
}

/** The counters of all keys, or of all accounts, end users or tags. */
class CountersById<C extends { isIdle(nowMs: number): boolean }> {
  readonly #create: (id: string) => C;
  readonly #counters = new Map<string, C>();
  #sweep = this.#counters.entries();
  #sweptAtMs = 0;

  constructor(create: (id: string) => C) {
    this.#create = create;
  }

  of(id: string): C {
    let counters = this.#counters.get(id);
    if (!counters) this.#counters.set(id, (counters = this.#create(id)));
    return counters;
  }

  all(): Iterable<[id: string, counters: C]> {
    return this.#counters;
  }

  /**
   * Sweeps some counters, continuing where the last call stopped: a busy minute takes up to 3 MB, which an unused key would hold forever.
   */
  forgetIdle(nowMs: number): void {
    if (nowMs - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs;
    const mostLooks = Math.max(MIN_SWEPT, this.#counters.size / SWEEPS);
    for (let looks = 0; looks < mostLooks; looks++) {
      const { value: next } = this.#sweep.next();
      if (!next) return this.#restartSweep();
      if (next[1].isIdle(nowMs)) this.#counters.delete(next[0]);
    }
  }

  #restartSweep(): void {
    this.#sweep = this.#counters.entries();
  }
}

/** Whether the scope has any limit. A scope without limits is not counted. */
export function isLimited({ limits }: LimitScope): boolean {
  const { amounts } = limits;
  for (let at = 0; at < amounts.length; at++) if (amounts[at] !== null) return true;
  return false;
}

/** The states of the limits with the least remainder, while they are determined. */
export type Tightest = { -readonly [What in keyof LimitStates]: LimitStates[What] };

/** Notes the state of a scope's limit in that window, if there is such a limit. */
export function noteState(states: Tightest, at: number, { limits }: LimitScope, used: number, resetMs: number): void {
  const limit = limits.amounts[at]!;
  if (limit === null) return;
  const { what } = WINDOW_LIMITS[at]!;
  const remaining = Math.max(0, limit - used);
  const known = states[what];
  if (!known || remaining < known.remaining) states[what] = { limit, remaining, resetMs };
}
