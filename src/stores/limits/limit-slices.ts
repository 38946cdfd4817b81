import { WINDOW_LIMITS } from "../../money/limits.ts";
import { type CountedRequest, countersByKind } from "./counters.ts";
import type { GrantMessage, ReportMessage, ReturnMessage, ScopeUsage } from "./limit-messages.ts";
import type { LimitScope, ScopeName } from "./limit-store.ts";
import type { OpenTicket } from "./open-ticket.ts";
import { type OwnCounters, Slice } from "./slice.ts";
import { toTakenMessages } from "./taken-messages.ts";
import { LocalUsage } from "./local-usage.ts";

/** How often the authority gets a report of the usage within slices. */
const REPORT_EVERY_MS = 1000;

/** The slices of a gateway process, by lease and by scope, and the requests that it has admitted in each scope. */
export class LimitSlices {
  readonly #taken = countersByKind((name) => new LocalUsage(name));
  readonly #held = new Map<number, Slice>();
  /** Returned slices, by lease, until the authority has confirmed their return. */
  readonly #givenUp = new Map<number, OwnCounters>();
  /** The leases in `#givenUp` whose return is in flight. */
  readonly #sent = new Set<number>();
  readonly #changed: () => void;
  #reportAtMs = 0;

  /** `changed` is called when there is something to send. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  takenIn({ kind, id }: ScopeName): LocalUsage {
    return this.#taken[kind].of(id);
  }

  /** Admits a request in all scopes from slices, or in none. */
  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): CountedRequest[] | undefined {
    if (!this.fit(scopes, tokens, nowMs)) return undefined;
    if (nowMs >= this.#reportAtMs) this.#changed();
    return scopes.map((scope) => {
      const slice = this.takenIn(scope).slice!;
      slice.isUsed = true;
      return slice.counters.take(scope.limits, tokens, nowMs);
    });
  }

  /** Whether slices suffice for a request. Gives up a slice whose scope has changed limits. */
  fit(scopes: readonly LimitScope[], tokens: number, nowMs: number): boolean {
    for (const scope of scopes) {
      const { slice } = this.takenIn(scope);
      if (!slice) return false;
      if (!slice.isOf(scope.limits)) {
        this.#giveUp(slice, nowMs);
        return false;
      }
      if (!slice.fits(tokens, nowMs)) return false;
    }
    return true;
  }

  /** Counts a request that the authority has admitted. */
  takeAsked(scopes: readonly LimitScope[], tokens: number, nowMs: number): CountedRequest[] {
    for (const { kind } of scopes) this.#taken[kind].forgetIdle(nowMs);
    return scopes.map((scope) => this.takenIn(scope).asked.take(scope.limits, tokens, nowMs));
  }

  /** Whether the authority counts the request in any scope. */
  ended(ticket: OpenTicket, nowMs: number): boolean {
    let isCountedElsewhere = false;
    for (const { slice } of ticket.counters) {
      if (!slice) isCountedElsewhere = true;
      else if (slice.isExceeded(nowMs)) this.#giveUp(slice, nowMs);
    }
    return isCountedElsewhere;
  }

  granted(grant: GrantMessage): void {
    const { lease } = grant;
    // The authority has widened the slice before its return arrived.
    if (this.#givenUp.has(lease)) return;
    const held = this.#held.get(lease);
    if (held) return held.widen(grant);
    const slice = new Slice(grant);
    this.#held.set(lease, slice);
    this.takenIn(grant).slice = slice;
  }

  recalled(lease: number, nowMs: number): void {
    const slice = this.#held.get(lease);
    if (slice) this.#giveUp(slice, nowMs);
  }

  giveUpAll(nowMs: number): void {
    for (const slice of this.#held.values()) this.#giveUp(slice, nowMs);
  }

  /** All given-up slices whose return is not confirmed, with their usage. */
  state(tickets: Iterable<OpenTicket>, nowMs: number): ReturnMessage[] {
    return this.#state([...this.#givenUp.keys()], tickets, nowMs);
  }

  /** The given-up slices whose return is not in flight. */
  send(tickets: Iterable<OpenTicket>, nowMs: number): ReturnMessage[] {
    if (this.#givenUp.size === this.#sent.size) return [];
    const leases = [...this.#givenUp.keys()].filter((lease) => !this.#sent.has(lease));
    for (const lease of leases) this.#sent.add(lease);
    return this.#state(leases, tickets, nowMs);
  }

  /** Whether the authority has these returns is unknown, so they are sent again. */
  unconfirmed(returns: readonly ReturnMessage[]): void {
    for (const { lease } of returns) this.#sent.delete(lease);
  }

  /** The authority has confirmed these returns. */
  confirmed(returns: readonly ReturnMessage[]): void {
    for (const { lease } of returns) {
      this.#givenUp.delete(lease);
      this.#sent.delete(lease);
    }
  }

  /** The authority has the statement, and with it every given-up slice. */
  stated(): void {
    this.#givenUp.clear();
    this.#sent.clear();
  }

  /** The counters of this process that the authority counts or has to count. */
  counted(): OwnCounters[] {
    const unconfirmed = new Set(this.#givenUp.values());
    const all = Object.values(this.#taken).flatMap((taken) => [...taken.all()].flatMap(([, each]) => each.counted()));
    return all.filter((counters) => !unconfirmed.has(counters));
  }

  /** The usage within the slices, once a second. A slice without usage is given up. */
  report(nowMs: number): { readonly slice: Slice; readonly message: ReportMessage }[] {
    if (nowMs < this.#reportAtMs) return [];
    this.#reportAtMs = nowMs + REPORT_EVERY_MS;
    const reports: { readonly slice: Slice; readonly message: ReportMessage }[] = [];
    for (const slice of this.#held.values()) {
      if (slice.isUsed) reports.push({ slice, message: { lease: slice.lease, usage: usageOf(slice.counters, nowMs) } });
      else if (slice.counters.isIdle(nowMs)) this.#giveUp(slice, nowMs);
      slice.isUsed = false;
    }
    return reports;
  }

  #state(leases: readonly number[], tickets: Iterable<OpenTicket>, nowMs: number): ReturnMessage[] {
    const counters = leases.map((lease) => this.#givenUp.get(lease)!);
    return toTakenMessages(counters, tickets, nowMs).map((taken, at): ReturnMessage => ({ lease: leases[at]!, taken }));
  }

  #giveUp(slice: Slice, nowMs: number): void {
    this.#held.delete(slice.lease);
    this.#givenUp.set(slice.lease, slice.counters);
    this.takenIn(slice.counters.scope).giveUp(slice, nowMs);
    this.#changed();
  }
}

function usageOf(counters: OwnCounters, nowMs: number): ScopeUsage {
  return WINDOW_LIMITS.map((_, at) => [counters.used(at, nowMs), counters.resetMs(at, nowMs)]);
}
