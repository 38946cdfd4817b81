import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { decideAdmission, type Liveness, toRefusalMessage } from "../decide-admission.ts";
import {
  grantOf,
  type GrantMessage,
  NO_TICKET,
  readScope,
  type ReportMessage,
  type ReturnMessage,
  type ScopeUsage,
  type TakeMessage,
  type TakeReply,
} from "../limit-messages.ts";
import type { LimitScope, ScopeName } from "../limit-store.ts";
import type { SharedCounters } from "../shared-counters.ts";
import type { ScopeRows } from "./scope-rows.ts";

/** A slice is cut only if it is large enough for this number of requests. */
export const REQUESTS_PER_SLICE = 8;

/** A recall without a slice: the process answers it with a heartbeat. */
export const NO_LEASE = 0;

/** The events of one turn of a process, with their scopes. */
export interface Turn {
  readonly returns: readonly ReturnMessage[];
  readonly ends: readonly { readonly ticket: number; readonly tokens: number; readonly scopes: readonly ScopeName[] }[];
  /** A report has no scope if the process no longer has the lease. */
  readonly reports: readonly { readonly message: ReportMessage; readonly scope: ScopeName | undefined }[];
  readonly takes: readonly TakeMessage[];
}

interface TurnOptions {
  readonly processId: string;
  readonly requestsPerSlice: number;
  readonly nextLease: () => number;
  /** Nothing more is recalled: slices that were not returned are in a process that does not answer. */
  readonly isLast: boolean;
}

/** The result of a turn. */
interface TurnOutcome {
  /** Undefined for requests that wait for slices. */
  readonly replies: (TakeReply | undefined)[];
  readonly usages: (ScopeUsage | null)[];
  readonly grants: GrantMessage[];
  /** The recalled slices, and `NO_LEASE` for processes that are asked whether they are live. */
  readonly recalls: { readonly processId: string; readonly lease: number }[];
}

/** The scopes whose counters a turn reads or changes. */
export function scopesOf({ returns, ends, reports, takes }: Turn): ScopeName[] {
  return [
    ...returns.map(({ taken }) => taken),
    ...ends.flatMap(({ scopes }) => scopes),
    ...reports.flatMap(({ scope }) => scope ?? []),
    ...takes.flatMap(({ scopes }) => scopes),
  ];
}

/** Applies a turn to the counters of its scopes, like `LimitService` for counters in memory. */
export class TurnApplied implements TurnOutcome {
  readonly replies: (TakeReply | undefined)[];
  readonly usages: (ScopeUsage | null)[];
  readonly grants: GrantMessage[] = [];
  readonly recalls: { readonly processId: string; readonly lease: number }[] = [];
  readonly #rows: ScopeRows;
  readonly #options: TurnOptions;
  readonly #leased = new Set<SharedCounters>();

  constructor(rows: ScopeRows, { returns, ends, reports, takes }: Turn, options: TurnOptions) {
    const { processId } = options;
    this.#rows = rows;
    this.#options = options;
    for (const { lease, taken } of returns) rows.change(taken).takeBack(processId, lease, taken, rows.nowMs);
    for (const { ticket, tokens, scopes } of ends) for (const scope of scopes) rows.change(scope).end(processId, ticket, tokens);
    this.usages = reports.map(({ message: { lease, usage }, scope }) => {
      if (!scope) return null;
      const counters = rows.change(scope);
      return counters.report(processId, lease, usage, rows.nowMs) ? counters.usageFor(processId, rows.nowMs) : null;
    });
    this.replies = takes.map((take) => this.#take(take));
  }

  /** Writes the result, in the transaction that has locked the rows. */
  async save(connection: PostgresConnection, returned: readonly number[]): Promise<void> {
    const { processId } = this.#options;
    const writes: Promise<unknown>[] = [this.#rows.save(connection)];
    if (this.recalls.length > 0) {
      const columns = [this.recalls.map((each) => each.processId), this.recalls.map(({ lease }) => lease)];
      const recall = "insert into limit_recalls (process_id, lease) select * from unnest($1::text[], $2::bigint[]) on conflict do nothing";
      writes.push(connection.query(recall, columns));
    }
    if (returned.length > 0) {
      writes.push(connection.query("delete from limit_recalls where process_id = $1 and lease = any($2::bigint[])", [processId, returned]));
    }
    if (this.recalls.length + returned.length > 0) writes.push(connection.query("select pg_notify($1, '')", [CHANNEL]));
    await Promise.all(writes);
  }

  #take({ ticket, tokens, scopes: messages }: TakeMessage): TakeReply | undefined {
    const rows = this.#rows;
    const { processId, isLast } = this.#options;
    const scopes = messages.map(readScope);
    const canRecall = (holder: string): boolean => !isLast && rows.isLive(holder);
    const livenessOf = (holder: string): Liveness => {
      if (holder === processId) return "live";
      const liveness = rows.livenessOf(holder);
      return isLast && liveness === "in_doubt" ? "silent" : liveness;
    };
    const decision = decideAdmission(scopes, tokens, { countersOf: (scope) => rows.of(scope), canRecall, livenessOf, nowMs: rows.nowMs });
    if (decision.outcome === "recall") {
      for (const holder of decision.ask) this.recalls.push({ processId: holder, lease: NO_LEASE });
      for (const scope of scopes) if (decision.from.includes(rows.of(scope))) this.#recall(scope);
      return undefined;
    }
    if (decision.outcome === "admit" && ticket !== NO_TICKET) {
      for (const scope of scopes) rows.change(scope).take(processId, scope, ticket, tokens, rows.nowMs);
      for (const [at, { isShort }] of messages.entries()) if (isShort) this.#lease(scopes[at]!, tokens);
    }
    const usages = scopes.map((scope) => rows.of(scope).usageFor(processId, rows.nowMs));
    return decision.outcome === "admit" ? { usages } : { usages, refusal: toRefusalMessage(decision, scopes) };
  }

  #recall(scope: LimitScope): void {
    const counters = this.#rows.change(scope);
    const asked = [...counters.leases].filter(([, { isRecalled }]) => !isRecalled);
    for (const [processId, { number }] of asked) this.recalls.push({ processId, lease: number });
    counters.recall(this.#rows.nowMs);
  }

  #lease(scope: LimitScope, tokens: number): void {
    const { processId, requestsPerSlice, nextLease } = this.#options;
    const counters = this.#rows.change(scope);
    if (this.#leased.has(counters)) return;
    this.#leased.add(counters);
    const request = { tokens, number: nextLease(), atLeast: requestsPerSlice, processes: this.#rows.processes };
    const lease = counters.lease(processId, scope, request, this.#rows.nowMs);
    if (!lease) return;
    this.grants.push(grantOf(scope, lease.number, lease.slice));
  }
}

/** The channel for notices that slices were recalled or returned. */
export const CHANNEL = "tollgate_limits";
