import { ConnectionLost } from "../../lib/ipc/ipc-connection.ts";
import { viewRates } from "../../money/limits.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { ApiError } from "../../requests/api-error.ts";
import { type CountedRequest, isLimited, NOTHING_TAKEN, type Tightest } from "./counters.ts";
import type { LimitAuthority, LimitListener } from "./limit-authority.ts";
import {
  type EndMessage,
  type GrantMessage,
  type LimitStatement,
  NO_TICKET,
  type ScopeMessage,
  type TakeMessage,
  type TakeReply,
  type TurnMessage,
  type TurnReply,
  UNDONE,
} from "./limit-messages.ts";
import type { LimitRefusal, LimitScope, LimitStates, LimitStore, LimitTicket } from "./limit-store.ts";
import { limitsUnknown } from "./limits-unknown.ts";
import { OpenTicket } from "./open-ticket.ts";
import { LimitSlices } from "./limit-slices.ts";
import { toTakenMessages } from "./taken-messages.ts";

/** A request that waits for the authority's reply. */
interface PendingTake {
  readonly message: TakeMessage;
  readonly scopes: readonly LimitScope[];
  readonly resolve: (taken: LimitTicket | LimitRefusal) => void;
  readonly reject: (error: ApiError) => void;
}

/**
 * The rate limits of a gateway process. Requests are admitted from the process's slices of their limits, without a message. If a slice does
 * not suffice, the authority is asked, with one call for all requests of one turn of the event loop. Only the authority rejects a request,
 * when every slice is back, so limits are exact over all processes. A rejection is not cached, because it would remain in force after a
 * request in another process is undone.
 *
 * This process also counts the requests that it has admitted, to state them to a new authority.
 */
export class SharedLimitStore implements LimitStore, LimitListener, ProcessService {
  readonly name = "limits";
  readonly notices = {
    granted: (grant: unknown): void => this.granted(grant as GrantMessage),
    recalled: (lease: unknown): void => this.recalled(lease as number),
  };
  readonly #authority: LimitAuthority;
  readonly #monotonicMs: () => number;
  readonly #slices: LimitSlices;
  readonly #openTickets = new Map<number, OpenTicket>();
  #lastTicket = NO_TICKET;
  #asks: PendingTake[] = [];
  /** Ended tickets, until the authority has confirmed them. */
  #ends: EndMessage[] = [];
  #isScheduled = false;
  #isConnected = false;

  constructor(authority: LimitAuthority, monotonicMs: () => number) {
    this.#authority = authority;
    this.#monotonicMs = monotonicMs;
    this.#slices = new LimitSlices(() => this.#schedule());
  }

  take(scopes: readonly LimitScope[], tokens: number): LimitTicket | Promise<LimitTicket | LimitRefusal> {
    const limited = scopes.filter(isLimited);
    if (limited.length === 0) return NOTHING_TAKEN;
    const nowMs = this.#monotonicMs();
    const counted = this.#mayUseSlices(nowMs) ? this.#slices.take(limited, tokens, nowMs) : undefined;
    return counted ? this.#open(++this.#lastTicket, tokens, counted, nowMs) : this.#ask(++this.#lastTicket, limited, tokens, nowMs);
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number): undefined | Promise<LimitRefusal | undefined> {
    const limited = scopes.filter(isLimited);
    if (limited.length === 0) return undefined;
    const nowMs = this.#monotonicMs();
    const isHere = this.#mayUseSlices(nowMs) && this.#slices.fit(limited, tokens, nowMs);
    return isHere ? undefined : this.#refusalOf(limited, tokens, nowMs);
  }

  state(scopes: readonly LimitScope[], nowMs: number): LimitStates {
    const states: Tightest = {};
    for (const scope of scopes) if (isLimited(scope)) this.#slices.takenIn(scope).noteStates(states, scope, nowMs);
    return states;
  }

  statement(): LimitStatement {
    const nowMs = this.#monotonicMs();
    this.#slices.giveUpAll(nowMs);
    const counted = toTakenMessages(this.#slices.counted(), this.#openTickets.values(), nowMs);
    return { slices: this.#slices.state(this.#openTickets.values(), nowMs), counted };
  }

  connected(): void {
    this.#isConnected = true;
    this.#slices.stated();
    if (this.#ends.length > 0) this.#schedule();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  granted(grant: GrantMessage): void {
    this.#slices.granted(grant);
  }

  recalled(lease: number): void {
    this.#slices.recalled(lease, this.#monotonicMs());
  }

  /** Returns all slices before the process ends. Resolves when the authority has them, or is away. */
  async close(): Promise<void> {
    this.#slices.giveUpAll(this.#monotonicMs());
    if (this.#isConnected) await this.#send();
  }

  #mayUseSlices(nowMs: number): boolean {
    return nowMs < this.#authority.validUntilMs;
  }

  async #refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): Promise<LimitRefusal | undefined> {
    const asked = await this.#ask(NO_TICKET, scopes, tokens, nowMs);
    return "undo" in asked ? undefined : asked;
  }

  #ask(ticket: number, scopes: readonly LimitScope[], tokens: number, nowMs: number): Promise<LimitTicket | LimitRefusal> {
    if (!this.#isConnected) throw limitsUnknown("the authority is not connected");
    const { promise, resolve, reject } = Promise.withResolvers<LimitTicket | LimitRefusal>();
    const messages = scopes.map((scope): ScopeMessage => {
      const isShort = !this.#slices.fit([scope], tokens, nowMs);
      return { kind: scope.kind, id: scope.id, limits: viewRates(scope.limits), isShort };
    });
    this.#asks.push({ message: { ticket, tokens, scopes: messages }, scopes, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Sends after this turn of the event loop has handled all pending I/O, so that requests of all connections are sent together. */
  #schedule(): void {
    if (this.#isScheduled || !this.#isConnected) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    this.#isScheduled = false;
    const nowMs = this.#monotonicMs();
    const [asks, ends] = [this.#asks, this.#ends];
    [this.#asks, this.#ends] = [[], []];
    const reports = this.#slices.report(nowMs);
    const returns = this.#slices.send(this.#openTickets.values(), nowMs);
    const turn: TurnMessage = {
      returns,
      ends,
      reports: reports.map(({ message }) => message),
      takes: asks.map(({ message }) => message),
    };
    let reply: TurnReply;
    try {
      reply = await this.#authority.count(turn);
    } catch (error) {
      this.#slices.unconfirmed(returns);
      return this.#fail(asks, ends, error as Error);
    }
    const { takes, usages } = reply;
    const arrivedAtMs = this.#monotonicMs();
    this.#slices.confirmed(returns);
    for (const [at, { slice }] of reports.entries()) {
      if (usages[at]) this.#slices.takenIn(slice.counters.scope).learn(usages[at], arrivedAtMs);
    }
    for (const [at, ask] of asks.entries()) this.#receive(ask, takes[at]!, arrivedAtMs);
  }

  #receive({ message, scopes, resolve, reject }: PendingTake, { usages, refusal }: TakeReply, nowMs: number): void {
    const { ticket: number, tokens } = message;
    const isTaken = !refusal && number !== NO_TICKET;
    const ticket = isTaken ? this.#open(number, tokens, this.#slices.takeAsked(scopes, tokens, nowMs), nowMs) : NOTHING_TAKEN;
    for (const [at, scope] of scopes.entries()) this.#slices.takenIn(scope).learn(usages[at]!, nowMs);
    if (!refusal) return resolve(ticket);
    const { scopeAt, what, waitMs, remaining } = refusal;
    if (what === "away") reject(limitsUnknown("what remains of a limit is with a process that does not answer"));
    else resolve({ scope: scopes[scopeAt]!, what, waitMs, remaining });
  }

  #open(number: number, tokens: number, counted: readonly CountedRequest[], atMs: number): LimitTicket {
    const ticket = new OpenTicket({ number, tokens, atMs }, counted, this.#ended);
    this.#openTickets.set(number, ticket);
    return ticket;
  }

  readonly #ended = (ticket: OpenTicket, end: EndMessage): void => {
    this.#openTickets.delete(end.ticket);
    // The authority does not know a request if slices cover all of its scopes.
    if (!this.#slices.ended(ticket, this.#monotonicMs())) return;
    this.#ends.push(end);
    this.#schedule();
  };

  /** Whether the authority has counted the requests is unknown. They are rejected, so they are undone at the authority. */
  #fail(asks: readonly PendingTake[], ends: readonly EndMessage[], error: Error): void {
    const undone = asks.map(({ message }): EndMessage => ({ ticket: message.ticket, tokens: UNDONE }));
    this.#ends = [...ends, ...undone, ...this.#ends];
    // The authority did not answer in time. After an error of the authority itself, it is not called again at once.
    if (error instanceof ConnectionLost) this.#schedule();
    for (const { reject } of asks) reject(limitsUnknown(error.message));
  }
}
