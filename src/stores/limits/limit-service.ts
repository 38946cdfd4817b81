import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import { countersByKind } from "./counters.ts";
import { decideAdmission, type Decision, type Liveness, type FinalDecision, toRefusalMessage } from "./decide-admission.ts";
import {
  grantOf,
  type LimitStatement,
  NO_TICKET,
  type ReturnMessage,
  readScope,
  type ScopeUsage,
  type TakeMessage,
  type TakenMessage,
  type TakeReply,
  type TurnMessage,
  type TurnReply,
} from "./limit-messages.ts";
import type { LimitScope, LimitStore, ScopeName } from "./limit-store.ts";
import { OwnerLimitStore } from "./owner-limit-store.ts";
import { SharedCounters } from "./shared-counters.ts";

/** A gateway process, until it has ended. */
interface Process {
  readonly id: string;
  /** Undefined while the process is not connected: it keeps its slices. */
  connection: ConnectedProcess | undefined;
  /** The counters in which its requests in flight are counted, by ticket. */
  readonly open: Map<number, readonly SharedCounters[]>;
  /** The counters that its slices are parts of, by lease. */
  readonly leases: Map<number, SharedCounters>;
  /** The tickets that wait for the return of slices. */
  readonly waiting: Set<number>;
  /** The slices that it was leased in this turn of the event loop: requests that arrive together get one slice. */
  readonly leasedNow: Set<SharedCounters>;
}

/** A slice is cut only if it is large enough for this number of requests. */
const REQUESTS_PER_SLICE = 8;

/** How long a request waits for the return of slices. Connected processes return them at once. */
const RECALL_MS = 5000;

interface LimitServiceOptions {
  readonly monotonicMs: () => number;
  readonly requestsPerSlice?: number;
}

/**
 * Counts the rate limits of all gateway processes, by the owner's clock, and leases slices of the limits: a process admits requests from
 * its slice without asking. When a limit is used up except for slices, all slices are recalled, and for a while each request asks.
 *
 * When a process ends, its requests stay counted, but not as concurrent; for requests admitted from slices, the size of the slices is
 * counted. A new owner counts the requests that its processes state. It does not know the requests that the previous owner has counted for
 * ended processes and for itself.
 */
export class LimitService implements OwnerService {
  readonly name = "limits";
  readonly calls = { count: (from: ConnectedProcess, turn: unknown): unknown => this.#count(from.id, turn as TurnMessage) };
  /** For the requests of the owner process. */
  readonly local: LimitStore;
  readonly #monotonicMs: () => number;
  readonly #requestsPerSlice: number;
  readonly #counters = countersByKind(newCounters);
  readonly #processes = new Map<string, Process>();
  /** Callbacks of requests that wait for the return of slices. */
  readonly #waiting = new Set<() => void>();
  #lastLease = 0;

  constructor({ monotonicMs, requestsPerSlice = REQUESTS_PER_SLICE }: LimitServiceOptions) {
    this.#monotonicMs = monotonicMs;
    this.#requestsPerSlice = requestsPerSlice;
    this.local = new OwnerLimitStore({
      monotonicMs,
      countersOf: (scope) => this.#countersOf(scope),
      decide: (scopes, tokens, apply) => this.#decide(scopes, tokens, apply),
    });
  }

  /** A process that was connected before gives up its slices with its statement, and sends tickets again that were ended meanwhile. */
  connected(connection: ConnectedProcess, body: unknown): void {
    const { id } = connection;
    const { slices, counted } = body as LimitStatement;
    const known = this.#processes.get(id);
    const process: Process = known ?? { id, connection, open: new Map(), leases: new Map(), waiting: new Set(), leasedNow: new Set() };
    this.#processes.set(id, process);
    process.connection = connection;
    if (known) for (const each of slices) this.#takeBack(process, each);
    else for (const taken of [...counted, ...slices.map(({ taken: each }) => each)]) this.#restore(process, taken);
    // The process has not received its other leases.
    for (const counters of process.leases.values()) counters.leases.delete(id);
    process.leases.clear();
    this.#wake();
  }

  disconnected(processId: string): void {
    const process = this.#processes.get(processId);
    if (!process) return;
    process.connection = undefined;
    process.waiting.clear();
    this.#wake();
  }

  ended(processId: string): void {
    const process = this.#processes.get(processId);
    if (!process) return;
    this.#processes.delete(processId);
    const nowMs = this.#monotonicMs();
    for (const counters of new Set([...process.leases.values(), ...[...process.open.values()].flat()]))
      counters.lose(processId, nowMs, nowMs);
    process.leases.clear();
    process.waiting.clear();
    this.#wake();
  }

  #count(processId: string, { returns, ends, reports, takes }: TurnMessage): TurnReply | Promise<TurnReply> {
    const process = this.#processes.get(processId);
    if (!process) throw new Error(`process ${processId} has ended`);
    for (const each of returns) this.#takeBack(process, each);
    if (returns.length > 0) this.#wake();
    for (const { ticket, tokens } of ends) {
      process.waiting.delete(ticket);
      for (const counters of process.open.get(ticket) ?? []) counters.end(processId, ticket, tokens);
      process.open.delete(ticket);
    }
    const nowMs = this.#monotonicMs();
    const usages = reports.map(({ lease, usage }): ScopeUsage | null => {
      const counters = process.leases.get(lease);
      return counters?.report(processId, lease, usage, nowMs) ? counters.usageFor(processId, nowMs) : null;
    });
    process.leasedNow.clear();
    const replies = takes.map((take) => this.#take(process, take));
    if (!replies.some((reply) => reply instanceof Promise)) return { takes: replies as TakeReply[], usages };
    return Promise.all(replies.map(async (reply) => reply)).then((settled): TurnReply => ({ takes: settled, usages }));
  }

  #take(process: Process, take: TakeMessage): TakeReply | Promise<TakeReply> {
    const { ticket, tokens, scopes: messages } = take;
    const scopes = messages.map(readScope);
    let hasWaited = false;
    const replying = this.#decide(scopes, tokens, (decision): TakeReply => {
      // The process has given up the request meanwhile, or is no longer connected: nobody receives this reply.
      if (hasWaited && ticket !== NO_TICKET && !process.waiting.delete(ticket)) return { usages: [] };
      return this.#reply(process, take, scopes, decision);
    });
    if (replying instanceof Promise && ticket !== NO_TICKET) process.waiting.add(ticket);
    hasWaited = true;
    return replying;
  }

  /** Admits the request in the same turn of the event loop, if the decision is to admit it. */
  #reply(
    process: Process,
    { ticket, tokens, scopes: messages }: TakeMessage,
    scopes: readonly LimitScope[],
    decision: FinalDecision,
  ): TakeReply {
    const nowMs = this.#monotonicMs();
    const counters = scopes.map((scope) => this.#countersOf(scope));
    if (decision.outcome === "admit" && ticket !== NO_TICKET) {
      for (const [at, each] of counters.entries()) each.take(process.id, scopes[at]!, ticket, tokens, nowMs);
      process.open.set(ticket, counters);
      for (const [at, { isShort }] of messages.entries()) if (isShort) this.#lease(process, scopes[at]!, tokens, nowMs);
      for (const { kind } of scopes) this.#counters[kind].forgetIdle(nowMs);
    }
    const usages = counters.map((each) => each.usageFor(process.id, nowMs));
    return decision.outcome === "admit" ? { usages } : { usages, refusal: toRefusalMessage(decision, scopes) };
  }

  #lease(process: Process, scope: LimitScope, tokens: number, nowMs: number): void {
    const counters = this.#countersOf(scope);
    if (process.leasedNow.has(counters)) return;
    process.leasedNow.add(counters);
    const request = { tokens, number: this.#lastLease + 1, atLeast: this.#requestsPerSlice, processes: this.#processes.size + 1 };
    const lease = counters.lease(process.id, scope, request, nowMs);
    if (!lease) return;
    this.#lastLease = Math.max(this.#lastLease, lease.number);
    process.leases.set(lease.number, counters);
    process.connection?.notify("limits.granted", grantOf(scope, lease.number, lease.slice));
  }

  /**
   * Calls `apply` with the decision in the same turn of the event loop, so that the basis of the decision still holds. If slices must be
   * returned first, the request waits.
   */
  #decide<Result>(scopes: readonly LimitScope[], tokens: number, apply: (decision: FinalDecision) => Result): Result | Promise<Result> {
    const decision = this.#decideNow(scopes, tokens, false);
    return decision.outcome === "recall" ? this.#decideLater(scopes, tokens, decision.from, apply) : apply(decision);
  }

  #decideNow(scopes: readonly LimitScope[], tokens: number, isLast: boolean): Decision {
    const canRecall = (processId: string): boolean => !isLast && this.#processes.get(processId)?.connection !== undefined;
    const livenessOf = (processId: string): Liveness => (this.#processes.get(processId)?.connection ? "live" : "silent");
    const countersOf = (scope: LimitScope): SharedCounters => this.#countersOf(scope);
    return decideAdmission(scopes, tokens, { countersOf, canRecall, livenessOf, nowMs: this.#monotonicMs() });
  }

  async #decideLater<Result>(
    scopes: readonly LimitScope[],
    tokens: number,
    first: readonly SharedCounters[],
    apply: (decision: FinalDecision) => Result,
  ): Promise<Result> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, RECALL_MS);
    try {
      for (let from = first; ;) {
        for (const counters of from) this.#recall(counters);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
        const decision = this.#decideNow(scopes, tokens, isLate);
        if (decision.outcome !== "recall") return apply(decision);
        ({ from } = decision);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #recall(counters: SharedCounters): void {
    const asked = [...counters.leases].filter(([, { isRecalled }]) => !isRecalled);
    counters.recall(this.#monotonicMs());
    for (const [processId, { number }] of asked) this.#processes.get(processId)?.connection?.notify("limits.recalled", number);
  }

  #takeBack(process: Process, { lease, taken }: ReturnMessage): void {
    const counters = process.leases.get(lease);
    if (!counters?.takeBack(process.id, lease, taken, this.#monotonicMs())) return;
    process.leases.delete(lease);
    noteOpen(process, taken, counters);
  }

  #restore(process: Process, taken: TakenMessage): void {
    const counters = this.#countersOf(taken);
    counters.restore(process.id, taken, this.#monotonicMs());
    noteOpen(process, taken, counters);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #countersOf({ kind, id }: ScopeName): SharedCounters {
    return this.#counters[kind].of(id);
  }
}

function newCounters(): SharedCounters {
  return new SharedCounters();
}

function noteOpen({ open }: Process, taken: TakenMessage, counters: SharedCounters): void {
  for (const { ticket } of taken.open) open.set(ticket, [...(open.get(ticket) ?? []), counters]);
}
