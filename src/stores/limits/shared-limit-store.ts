import type { IpcPeer, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { ConnectionLost } from "../../lib/ipc/ipc-connection.ts";
import type { ApiError } from "../../requests/api-error.ts";
import { authorityAway } from "../../requests/authority-away.ts";
import { CountersById, isLimited, NOTHING_TAKEN } from "./counters.ts";
import {
  type EndMessage,
  type LimitStatement,
  NO_TICKET,
  type TakeMessage,
  type TakeReply,
  type TurnMessage,
  UNDONE,
  writeScope,
} from "./limit-messages.ts";
import type { LimitRefusal, LimitScope, LimitStates, LimitStore, LimitTicket, ScopeName } from "./limit-store.ts";
import { OpenTicket } from "./open-ticket.ts";
import { stateTaken } from "./state-taken.ts";
import { TakenHere, tightestStates } from "./taken-here.ts";

/** A request that waits for the owner's reply. */
interface Ask {
  readonly message: TakeMessage;
  readonly scopes: readonly LimitScope[];
  readonly resolve: (taken: LimitTicket | LimitRefusal) => void;
  readonly reject: (error: ApiError) => void;
}

/**
 * The rate limits of a gateway process. The owner counts, so limits are exact over all processes: each request of a limited key asks it, those
 * of one turn of the event loop in one call. A refusal is not remembered: it would outlast a request that is undone elsewhere.
 *
 * What this process has taken is counted here as well, to state it to a new owner.
 */
export class SharedLimitStore implements LimitStore, ProcessService {
  readonly name = "limits";
  readonly #owner: IpcPeer;
  readonly #monotonicMs: () => number;
  readonly #taken = { key: new CountersById(newTakenHere), account: new CountersById(newTakenHere) };
  readonly #openTickets = new Map<number, OpenTicket>();
  #lastTicket = NO_TICKET;
  #asks: Ask[] = [];
  /** Until the owner has confirmed them. */
  #ends: EndMessage[] = [];
  #isScheduled = false;
  #isConnected = false;

  constructor(owner: IpcPeer, monotonicMs: () => number) {
    this.#owner = owner;
    this.#monotonicMs = monotonicMs;
  }

  take(scopes: readonly LimitScope[], tokens: number): LimitTicket | Promise<LimitTicket | LimitRefusal> {
    return scopes.some(isLimited) ? this.#ask(++this.#lastTicket, scopes.filter(isLimited), tokens) : NOTHING_TAKEN;
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number): undefined | Promise<LimitRefusal | undefined> {
    return scopes.some(isLimited) ? this.#refusalOf(scopes.filter(isLimited), tokens) : undefined;
  }

  state(scopes: readonly LimitScope[], nowMs: number): LimitStates {
    return tightestStates(scopes.filter(isLimited), (scope) => this.#takenIn(scope), nowMs);
  }

  statement(): LimitStatement {
    return stateTaken(this.#taken, this.#openTickets.values(), this.#monotonicMs());
  }

  connected(): void {
    this.#isConnected = true;
    if (this.#ends.length > 0) this.#schedule();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  async #refusalOf(scopes: readonly LimitScope[], tokens: number): Promise<LimitRefusal | undefined> {
    const asked = await this.#ask(NO_TICKET, scopes, tokens);
    return "undo" in asked ? undefined : asked;
  }

  #ask(ticket: number, scopes: readonly LimitScope[], tokens: number): Promise<LimitTicket | LimitRefusal> {
    if (!this.#isConnected) throw limitsUnknown("the owner process is not connected");
    const { promise, resolve, reject } = Promise.withResolvers<LimitTicket | LimitRefusal>();
    this.#asks.push({ message: [ticket, tokens, scopes.map(writeScope)], scopes, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Sends after this turn of the event loop has handled all pending I/O, so that requests of all connections go together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    this.#isScheduled = false;
    const [asks, ends] = [this.#asks, this.#ends];
    [this.#asks, this.#ends] = [[], []];
    const turn: TurnMessage = [ends, asks.map(({ message }) => message)];
    let replies: readonly TakeReply[];
    try {
      replies = (await this.#owner.call("limits.count", turn)) as TakeReply[];
    } catch (error) {
      return this.#fail(asks, ends, error as Error);
    }
    const nowMs = this.#monotonicMs();
    for (const [at, ask] of asks.entries()) ask.resolve(this.#receive(ask, replies[at]!, nowMs));
  }

  #receive({ message, scopes }: Ask, [usages, refused]: TakeReply, nowMs: number): LimitTicket | LimitRefusal {
    const isTaken = !refused && message[0] !== NO_TICKET;
    const ticket = isTaken ? this.#open(message, scopes, nowMs) : NOTHING_TAKEN;
    for (const [at, scope] of scopes.entries()) this.#takenIn(scope).learn(usages[at]!, nowMs);
    if (!refused) return ticket;
    const [scopeAt, what, waitMs, remaining] = refused;
    return { scope: scopes[scopeAt]!, what, waitMs, remaining };
  }

  #open([number, tokens]: TakeMessage, scopes: readonly LimitScope[], nowMs: number): LimitTicket {
    const counted = scopes.map((scope) => this.#takenIn(scope).counters.take(tokens, nowMs));
    for (const { kind } of scopes) this.#taken[kind].forgetIdle(nowMs);
    const ticket = new OpenTicket({ number, tokens, scopes, atMs: nowMs }, counted, (end) => this.#ended(end));
    this.#openTickets.set(number, ticket);
    return ticket;
  }

  #ended(end: EndMessage): void {
    this.#openTickets.delete(end[0]);
    this.#ends.push(end);
    if (this.#isConnected) this.#schedule();
  }

  /** Whether the owner has counted the requests is unknown: they are rejected, so they are undone there. */
  #fail(asks: readonly Ask[], ends: readonly EndMessage[], error: Error): void {
    const undone = asks.map(({ message }): EndMessage => [message[0], UNDONE]);
    this.#ends = [...ends, ...undone, ...this.#ends];
    // The owner did not answer in time. It is not called again at once for an error of its own.
    if (this.#isConnected && error instanceof ConnectionLost) this.#schedule();
    for (const { reject } of asks) reject(limitsUnknown(error.message));
  }

  #takenIn({ kind, id }: ScopeName): TakenHere {
    return this.#taken[kind].of(id);
  }
}

function newTakenHere(): TakenHere {
  return new TakenHere();
}

function limitsUnknown(reason: string): ApiError {
  return authorityAway(`rate limits cannot be counted: ${reason}`);
}
