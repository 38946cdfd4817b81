import { CONCURRENCY_AT, NO_LIMITS, RATE_LIMITS, type RateLimit, type RateLimits, WINDOW_LIMITS } from "../../money/limits.ts";
import { type CountedRequest, Counters } from "./counters.ts";
import { type ScopeUsage, type TakenMessage, UNDONE } from "./limit-messages.ts";
import type { LimitScope } from "./limit-store.ts";

/** A slice that a process has. */
interface Lease {
  readonly number: number;
  /** How much of each limit the process may use in any window without asking. */
  slice: RateLimits;
  isRecalled: boolean;
  /** The usage in the slice that the process has last reported. */
  reported: { readonly usage: ScopeUsage; readonly atMs: number } | undefined;
}

/** A request in flight, with its estimated tokens. */
interface OpenRequest {
  readonly atMs: number;
  readonly counted: CountedRequest;
  readonly tokens: number;
}

/** After a recall each request asks, for this long: processes that take slices from each other in turn would only send messages. */
const NO_LEASES_MS = 5000;

/** Slices are leased only while at least this share of a limit is free: the rest is for requests that the authority decides one by one. */
const LEASED_WHILE_FREE = 1 / 4;

/**
 * The counters of one scope at the authority: the requests that processes have asked for, and the slices that they have. A slice counts in
 * full, however much of it was used, until it is returned with the requests that were admitted from it. So in any window the requests of
 * all processes are within the limit: the requests that are counted here, plus at most its slice for each process.
 */
export class SharedCounters {
  readonly counters = new Counters();
  /** Leases by process. */
  readonly leases = new Map<string, Lease>();
  /** The requests in flight that are counted here, by process and ticket. */
  readonly open = new Map<string, Map<number, OpenRequest>>();
  noLeasesBeforeMs = 0;

  /** Whether a request fits in addition to everything that is leased. */
  fits({ limits }: LimitScope, tokens: number, nowMs: number): boolean {
    for (const [at, limit] of RATE_LIMITS.entries()) {
      // An amount above the limit fits into an empty window.
      if (this.#free(at, limits, nowMs) < Math.min(amountOf(limit, tokens), limits.amounts[at] ?? Infinity)) return false;
    }
    return true;
  }

  take(processId: string, { limits }: LimitScope, ticket: number, tokens: number, nowMs: number): void {
    this.#openOf(processId).set(ticket, { atMs: nowMs, counted: this.counters.take(limits, tokens, nowMs), tokens });
  }

  /** A request has ended with these tokens, or was undone. A request that is not in flight is ignored. */
  end(processId: string, ticket: number, tokens: number): void {
    const open = this.open.get(processId);
    const ended = open?.get(ticket);
    if (!ended) return;
    if (tokens === UNDONE) ended.counted.undo();
    else ended.counted.end(tokens);
    open!.delete(ticket);
    if (open!.size === 0) this.open.delete(processId);
  }

  /**
   * Leases a part of the free amount to a process, or increases its slice. Undefined if too little is free: then each request asks. A slice
   * must be large enough for `atLeast` such requests.
   */
  lease(
    processId: string,
    { limits }: LimitScope,
    request: { tokens: number; number: number; atLeast: number; processes: number },
    nowMs: number,
  ): Lease | undefined {
    if (nowMs < this.noLeasesBeforeMs) return undefined;
    const { atLeast, processes } = request;
    const known = this.leases.get(processId);
    const slice: (number | null)[] = [];
    for (const [at, limit] of RATE_LIMITS.entries()) {
      const whole = limits.amounts[at]!;
      const free = this.#free(at, limits, nowMs);
      const more = whole !== null && free >= whole * LEASED_WHILE_FREE ? Math.floor(free / (2 * processes)) : 0;
      if (whole !== null && more < atLeast * Math.max(1, amountOf(limit, request.tokens))) return undefined;
      slice.push(whole === null ? null : (known?.slice.amounts[at] ?? 0) + more);
    }
    const lease: Lease = known ?? { number: request.number, slice: limits, isRecalled: false, reported: undefined };
    lease.slice = { amounts: slice };
    this.leases.set(processId, lease);
    return lease;
  }

  /** Notes that slices are recalled. Until they are returned, and for a while after that, nothing is leased. */
  recall(nowMs: number): void {
    this.noLeasesBeforeMs = nowMs + NO_LEASES_MS;
    for (const lease of this.leases.values()) lease.isRecalled = true;
  }

  /**
   * A slice is returned. The requests that were admitted from it are counted here from now on. A lease that the process does not have is
   * ignored.
   */
  takeBack(processId: string, lease: number, taken: TakenMessage, nowMs: number): boolean {
    if (this.leases.get(processId)?.number !== lease) return false;
    this.leases.delete(processId);
    this.restore(processId, taken, nowMs);
    return true;
  }

  /** Counts the requests that a process has admitted. */
  restore(processId: string, { ended, open }: TakenMessage, nowMs: number): void {
    const counted = this.counters.restore(open, ended, nowMs);
    if (open.length === 0) return;
    const tickets = this.#openOf(processId);
    for (const [at, { ticket, ageMs, tokens: estimate }] of open.entries()) {
      tickets.set(ticket, { atMs: nowMs - ageMs, counted: counted[at]!, tokens: estimate });
    }
  }

  /**
   * The process has ended at that time: its slice counts as used then, and its requests count with their estimates, but not as concurrent.
   */
  lose(processId: string, endedAtMs: number, nowMs: number): void {
    const slice = this.leases.get(processId)?.slice ?? NO_LIMITS;
    this.leases.delete(processId);
    for (const at of WINDOW_LIMITS.keys()) {
      const leased = slice.amounts[at]!;
      if (leased !== null) this.counters.windowAt(at).insert([[endedAtMs, leased]], nowMs);
    }
    for (const { counted, tokens } of this.open.get(processId)?.values() ?? []) counted.end(tokens);
    this.open.delete(processId);
  }

  report(processId: string, lease: number, usage: ScopeUsage, nowMs: number): boolean {
    const known = this.leases.get(processId);
    if (known?.number !== lease) return false;
    known.reported = { usage, atMs: nowMs };
    return true;
  }

  /** The usage in the scope, including the usage that other processes have reported for their slices. */
  usageFor(processId: string, nowMs: number): ScopeUsage {
    return WINDOW_LIMITS.map((_, at): [number, number] => {
      let used = this.counters.used(at, nowMs);
      let resetMs = this.counters.resetMs(at, nowMs);
      for (const [holder, { reported }] of this.leases) {
        const usage = holder === processId ? undefined : reported?.usage[at];
        const leftMs = usage ? reported!.atMs + usage[1] - nowMs : 0;
        if (leftMs <= 0) continue;
        used += usage![0];
        resetMs = Math.max(resetMs, leftMs);
      }
      return [used, resetMs];
    });
  }

  isIdle(nowMs: number): boolean {
    return this.leases.size === 0 && this.counters.isIdle(nowMs);
  }

  /** The remainder of the limit; infinite without a limit. */
  #free(at: number, limits: RateLimits, nowMs: number): number {
    const limit = limits.amounts[at]!;
    if (limit === null) return Infinity;
    const used = at < CONCURRENCY_AT ? this.counters.used(at, nowMs) : this.counters.concurrent;
    return limit - used - this.#leased(at);
  }

  /** A slice that was cut while there was no such limit is unlimited. */
  #leased(at: number): number {
    let sum = 0;
    for (const { slice } of this.leases.values()) sum += slice.amounts[at] ?? Infinity;
    return sum;
  }

  #openOf(processId: string): Map<number, OpenRequest> {
    let open = this.open.get(processId);
    if (!open) this.open.set(processId, (open = new Map()));
    return open;
  }
}

/** What a request adds to the limit. */
function amountOf(limit: RateLimit, tokens: number): number {
  return "counts" in limit && limit.counts === "tokens" ? tokens : 1;
}
