import type { Amounts } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope, LimitTicket, ScopeName } from "./limit-store.ts";
import { RateWindow, type CountedAmount } from "./rate-window.ts";

/**
 * How often idle counters are swept: each is removed after about a minute. This takes about 20 µs per second for 10,000 keys, and 200 µs
 * for 100,000 end users.
 */
const SWEEP_EVERY_MS = 1000;
const MIN_SWEPT = 256;
const SWEEPS = 64;

/** The counters of one scope. */
export class Counters {
  readonly requests = new RateWindow();
  readonly tokens = new RateWindow();
  concurrent = 0;

  refusalOf(scope: LimitScope, tokens: number, nowMs: number): LimitRefusal | undefined {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = scope.limits;
    if (requestsPerMinute !== null) {
      const waitMs = this.requests.waitMs(1, requestsPerMinute, nowMs);
      if (waitMs > 0) return { scope, what: "requests", waitMs, remaining: 0 };
    }
    if (tokensPerMinute !== null) {
      const waitMs = this.tokens.waitMs(tokens, tokensPerMinute, nowMs);
      const remaining = Math.max(0, this.tokens.room(tokensPerMinute, nowMs));
      if (waitMs > 0) return { scope, what: "tokens", waitMs, remaining };
    }
    if (concurrentRequests !== null && this.concurrent >= concurrentRequests) {
      return { scope, what: "concurrent", waitMs: 0, remaining: 0 };
    }
    return undefined;
  }

  /** Whether the counters equal new ones. */
  isIdle(nowMs: number): boolean {
    return this.concurrent === 0 && this.requests.isEmpty(nowMs) && this.tokens.isEmpty(nowMs);
  }

  take(tokens: number, nowMs: number): CountedRequest {
    this.concurrent++;
    return new CountedRequest(this, this.requests.take(1, nowMs), this.tokens.take(tokens, nowMs));
  }

  /** Counts earlier requests: requests in flight one by one, and the sums of ended requests. */
  restore(inFlight: readonly PastRequest[], ended: Readonly<Record<"requests" | "tokens", Amounts>>, nowMs: number): CountedRequest[] {
    const toTime = ([ageMs, amount]: Amounts[number]): [atMs: number, amount: number] => [nowMs - ageMs, amount];
    const requests = this.requests.insert([...inFlight.map(({ ageMs }) => toTime([ageMs, 1])), ...ended.requests.map(toTime)], nowMs);
    const tokens = this.tokens.insert(
      [...inFlight.map((request) => toTime([request.ageMs, request.tokens])), ...ended.tokens.map(toTime)],
      nowMs,
    );
    this.concurrent += inFlight.length;
    return inFlight.map((_, at) => new CountedRequest(this, requests[at]!, tokens[at]!));
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
  readonly #request: CountedAmount;
  readonly #tokens: CountedAmount;

  constructor(counters: Counters, request: CountedAmount, tokens: CountedAmount) {
    this.counters = counters;
    this.#request = request;
    this.#tokens = tokens;
  }

  end(tokens: number): void {
    this.counters.concurrent--;
    this.counters.tokens.correct(this.#tokens, tokens);
  }

  undo(): void {
    this.end(0);
    this.counters.requests.correct(this.#request, 0);
  }
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
  return limits.requestsPerMinute !== null || limits.tokensPerMinute !== null || limits.concurrentRequests !== null;
}
