import { ConnectionLost } from "../../../lib/ipc/ipc-connection.ts";
import type { LimitAuthority, LimitListener } from "../limit-authority.ts";
import { NO_TICKET, type ScopeMessage, type TakenMessage, type TakeReply, type TurnMessage, type TurnReply } from "../limit-messages.ts";
import type { ScopeName } from "../limit-store.ts";
import { CHANNEL, NO_LEASE, REQUESTS_PER_SLICE, scopesOf, TurnApplied, type Turn } from "./apply-turn.ts";
import { heartbeat, isReady, join, leave, type LimitPool, prune, readRecalls } from "./limit-membership.ts";
import { LOST_AFTER_MS, ScopeRows } from "./scope-rows.ts";

/** How long a request waits for slices of other processes. */
const RECALL_MS = 5000;
/**
 * How often a waiting request checks whether slices are back, and a process checks whether its slices are recalled: notices may be lost.
 */
const WAIT_MS = 50;
const TICK_MS = 250;
const HEARTBEAT_EVERY_MS = 2000;
const PRUNE_EVERY_MS = 60_000;

export interface PostgresLimitOptions {
  readonly pool: LimitPool;
  /** The id of this process, new at each start. */
  readonly processId: string;
  readonly monotonicMs: () => number;
  /** Called when limits cannot be counted, and with undefined when they can be counted again. */
  readonly report: (failure: string | undefined) => void;
  readonly requestsPerSlice?: number;
  readonly recallMs?: number;
}

/**
 * PostgreSQL as the authority over rate limits: every process counts in the rows of the scopes, which it locks. A process keeps its slices
 * as long as it sends heartbeats. The tables are unlogged: after a crash of the server all processes state the requests that they have
 * counted, before anything is admitted.
 */
export class PostgresLimitAuthority implements LimitAuthority {
  readonly #options: PostgresLimitOptions;
  #listener!: LimitListener;
  #validUntilMs = -Infinity;
  #nonce: string | undefined;
  #isJoined = false;
  #isConnected = false;
  #lastLease = 0;
  /** The scopes in which a request may be counted in the database, by ticket. */
  readonly #tickets = new Map<number, readonly ScopeName[]>();
  readonly #leases = new Map<number, ScopeName>();
  /** Transactions are made one at a time, so that a recall is not read before its grant has arrived. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Set<() => void>();
  #timer: Timer | undefined;
  #heartbeatAtMs = 0;
  #pruneAtMs: number;
  #isClosed = false;

  constructor(options: PostgresLimitOptions) {
    this.#options = options;
    this.#pruneAtMs = options.monotonicMs() + PRUNE_EVERY_MS;
  }

  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** Joins the other processes. Resolves when limits can be counted; while the database is away, it retries. */
  async start(listener: LimitListener): Promise<void> {
    this.#listener = listener;
    await this.#options.pool.listen(
      CHANNEL,
      () => this.#notified(),
      () => this.#listening(),
    );
    await this.#tick();
  }

  get processId(): string {
    return this.#options.processId;
  }

  /** Leaves, after the listener has returned its slices. */
  async close(): Promise<void> {
    await this.stop();
    const { slices, counted } = this.#listener.statement();
    const all = [...counted, ...slices.map(({ taken }) => taken)];
    await leave(this.#options.pool, this.#options.processId, all.filter(countsAnything)).catch(() => undefined);
  }

  /** Sends no more heartbeats. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#last;
  }

  async count(message: TurnMessage): Promise<TurnReply> {
    const { takes } = message;
    const turn = this.#toTurn(message);
    const deadlineMs = this.#options.monotonicMs() + (this.#options.recallMs ?? RECALL_MS);
    const { replies, usages } = await this.#serially(() => this.#count(turn, false));
    for (;;) {
      const waiting = takes.flatMap((take, at) => (replies[at] ? [] : [{ take, at }]));
      if (waiting.length === 0) return { takes: replies as TakeReply[], usages };
      await this.#untilReturned();
      const isLast = this.#options.monotonicMs() >= deadlineMs;
      const again: Turn = { returns: [], ends: [], reports: [], takes: waiting.map(({ take }) => take) };
      const settled = await this.#serially(() => this.#count(again, isLast));
      for (const [index, { at }] of waiting.entries()) replies[at] = settled.replies[index];
    }
  }

  #toTurn({ returns, ends, reports, takes }: TurnMessage): Turn {
    for (const { ticket, scopes } of takes) if (ticket !== NO_TICKET) this.#tickets.set(ticket, scopes.map(nameOf));
    for (const { kind, id, open } of returns.map(({ taken }) => taken)) {
      for (const { ticket } of open) this.#tickets.set(ticket, [...(this.#tickets.get(ticket) ?? []), { kind, id }]);
    }
    return {
      returns,
      ends: ends.map(({ ticket, tokens }) => ({ ticket, tokens, scopes: this.#tickets.get(ticket) ?? [] })),
      reports: reports.map((message) => ({ message, scope: this.#leases.get(message.lease) })),
      takes,
    };
  }

  async #count(turn: Turn, isLast: boolean): Promise<TurnApplied> {
    const { pool, processId, requestsPerSlice = REQUESTS_PER_SLICE } = this.#options;
    if (!this.#isConnected) throw new ConnectionLost("the database is away");
    try {
      const applied = await pool.transaction(async (connection) => {
        const rows = await ScopeRows.lock(connection, scopesOf(turn));
        if (rows.nonce !== this.#nonce || !rows.isLive(processId)) throw new Error("the database has lost its counters");
        const options = { processId, requestsPerSlice, nextLease: () => ++this.#lastLease, isLast };
        const result = new TurnApplied(rows, turn, options);
        await result.save(
          connection,
          turn.returns.map(({ lease }) => lease),
        );
        return result;
      });
      this.#committed(turn, applied);
      return applied;
    } catch (error) {
      this.#lost(error as Error);
      throw error;
    }
  }

  #committed({ returns, ends, takes }: Turn, { replies, grants, recalls }: TurnApplied): void {
    for (const { ticket } of ends) this.#tickets.delete(ticket);
    for (const [at, { ticket }] of takes.entries()) if (replies[at]?.refusal) this.#tickets.delete(ticket);
    for (const { lease } of returns) this.#leases.delete(lease);
    for (const grant of grants) {
      const { lease, kind, id } = grant;
      this.#leases.set(lease, { kind, id });
      this.#listener.granted(grant);
    }
    for (const { processId, lease } of recalls) if (processId === this.#options.processId) this.#listener.recalled(lease);
    if (returns.length > 0) this.#wake();
  }

  /** Whether the last transaction was committed is unknown. The process makes a new statement before it counts again. */
  #lost(error: Error): void {
    this.#isJoined = false;
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#options.report(error.message);
    this.#listener.disconnected();
    this.#wake();
    this.#schedule(0);
  }

  async #tick(): Promise<void> {
    try {
      if (!this.#isJoined) await this.#serially(() => this.#join());
      else if (this.#options.monotonicMs() >= this.#heartbeatAtMs) await this.#serially(() => this.#beat());
      if (this.#isJoined && !this.#isConnected) await this.#connectWhenReady();
      if (this.#mayBeAsked) await this.#serially(() => this.#readRecalls());
      await this.#pruneNowAndThen();
    } catch (error) {
      this.#lost(error as Error);
    }
    this.#schedule(TICK_MS);
  }

  async #join(): Promise<void> {
    if (this.#isJoined) return;
    const { pool, processId, monotonicMs } = this.#options;
    const sentAtMs = monotonicMs();
    const statement = this.#listener.statement();
    this.#leases.clear();
    const { nonce } = await join(pool, { processId, statement, knownNonce: this.#nonce, lastLease: this.#lastLease });
    for (const { kind, id, open } of [...statement.counted, ...statement.slices.map(({ taken }) => taken)]) {
      for (const { ticket } of open) {
        const known = this.#tickets.get(ticket) ?? [];
        if (!known.some((scope) => scope.kind === kind && scope.id === id)) this.#tickets.set(ticket, [...known, { kind, id }]);
      }
    }
    this.#nonce = nonce;
    this.#isJoined = true;
    this.#seen(sentAtMs);
  }

  async #connectWhenReady(): Promise<void> {
    if (!(await isReady(this.#options.pool, this.#nonce!))) return;
    this.#isConnected = true;
    this.#options.report(undefined);
    this.#listener.connected();
  }

  async #beat(): Promise<void> {
    const { pool, processId, monotonicMs } = this.#options;
    const sentAtMs = monotonicMs();
    if (!(await heartbeat(pool, processId, this.#nonce!))) throw new Error("the database has lost this process");
    this.#seen(sentAtMs);
  }

  #seen(sentAtMs: number): void {
    this.#validUntilMs = sentAtMs + LOST_AFTER_MS;
    this.#heartbeatAtMs = sentAtMs + HEARTBEAT_EVERY_MS;
  }

  async #readRecalls(): Promise<void> {
    const { pool, processId } = this.#options;
    for (const lease of await readRecalls(pool, processId)) {
      if (lease !== NO_LEASE) this.#listener.recalled(lease);
      else if (this.#isJoined) await this.#beat();
    }
  }

  /** Whether other processes may need slices of this process, or need to know whether its requests are in flight. */
  get #mayBeAsked(): boolean {
    return this.#leases.size + this.#tickets.size > 0;
  }

  async #pruneNowAndThen(): Promise<void> {
    const nowMs = this.#options.monotonicMs();
    if (nowMs < this.#pruneAtMs) return;
    this.#pruneAtMs = nowMs + PRUNE_EVERY_MS;
    await prune(this.#options.pool);
  }

  #notified(): void {
    if (this.#isClosed) return;
    this.#wake();
    if (this.#mayBeAsked) void this.#serially(() => this.#readRecalls()).catch(() => undefined);
  }

  /** The connection for notices is open, possibly again: then the server may have been restarted, and may be waiting for a statement. */
  #listening(): void {
    this.#notified();
    this.#heartbeatAtMs = 0;
    if (this.#isJoined) this.#schedule(0);
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#tick(), afterMs);
  }

  #untilReturned(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WAIT_MS);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function countsAnything({ ended, open }: TakenMessage): boolean {
  return open.length > 0 || ended.some((amounts) => amounts !== null && amounts.length > 0);
}

function nameOf({ kind, id }: ScopeMessage): ScopeName {
  return { kind, id };
}
