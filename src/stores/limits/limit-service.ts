import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import { type LimitStatement, NO_TICKET, readScope, type TakeMessage, type TakeReply, type TurnMessage, UNDONE } from "./limit-messages.ts";
import type { LimitRefusal, LimitTicket } from "./limit-store.ts";
import type { MemoryLimitStore } from "./memory-limit-store.ts";

interface OpenTicket {
  readonly ticket: LimitTicket;
  /** As estimated. */
  readonly tokens: number;
}

/** A part of a statement that is to be counted. */
interface Restored {
  readonly atMs: number;
  readonly count: () => void;
}

/**
 * Counts the rate limits of all gateway processes, in the store that the owner's own requests use, by the owner's clock.
 *
 * A process that ends leaves its requests counted, and no longer concurrent. A new owner counts what its processes state; it does not know
 * what the previous owner has counted for processes that have ended, and for itself.
 */
export class LimitService implements OwnerService {
  readonly name = "limits";
  readonly calls = { count: (from: ConnectedProcess, turn: unknown): TakeReply[] => this.#count(from.id, turn as TurnMessage) };
  readonly #store: MemoryLimitStore;
  readonly #monotonicMs: () => number;
  /** Also of processes that are not connected, until they have ended. */
  readonly #openOf = new Map<string, Map<number, OpenTicket>>();
  #stated: Restored[] = [];

  constructor(store: MemoryLimitStore, monotonicMs: () => number) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
  }

  /** A process that was connected before has nothing to state: it sends the tickets again that were ended meanwhile. */
  connected({ id }: ConnectedProcess, statement: unknown): void {
    if (this.#openOf.has(id)) return;
    this.#openOf.set(id, new Map());
    // Windows count in the order of time, so the statements of all processes are restored together.
    if (this.#stated.length === 0) setImmediate(() => this.#restore());
    this.#read(id, statement as LimitStatement);
  }

  ended(processId: string): void {
    const open = this.#openOf.get(processId);
    if (!open) return;
    this.#restore();
    for (const { ticket, tokens } of open.values()) ticket.end(tokens);
    this.#openOf.delete(processId);
  }

  #count(processId: string, [ends, takes]: TurnMessage): TakeReply[] {
    this.#restore();
    const open = this.#openOf.get(processId);
    if (!open) throw new Error(`process ${processId} has ended`);
    for (const [number, tokens] of ends) {
      const ended = open.get(number);
      if (tokens === UNDONE) ended?.ticket.undo();
      else ended?.ticket.end(tokens);
      open.delete(number);
    }
    const nowMs = this.#monotonicMs();
    return takes.map((take) => this.#take(take, open, nowMs));
  }

  #take([number, tokens, messages]: TakeMessage, open: Map<number, OpenTicket>, nowMs: number): TakeReply {
    const scopes = messages.map(readScope);
    let refusal: LimitRefusal | undefined;
    if (number === NO_TICKET) refusal = this.#store.refusalOf(scopes, tokens, nowMs);
    else {
      const taken = this.#store.take(scopes, tokens, nowMs);
      if ("undo" in taken) open.set(number, { ticket: taken, tokens });
      else refusal = taken;
    }
    const usages = scopes.map((scope) => this.#store.usageOf(scope, nowMs));
    return refusal ? [usages, [scopes.indexOf(refusal.scope), refusal.what, refusal.waitMs, refusal.remaining]] : [usages];
  }

  #read(processId: string, { ended, open }: LimitStatement): void {
    const nowMs = this.#monotonicMs();
    for (const [kind, id, what, ageMs, amount] of ended) {
      const atMs = nowMs - ageMs;
      this.#stated.push({ atMs, count: () => this.#store.restoreEnded({ kind, id }, what, amount, atMs) });
    }
    for (const [number, ageMs, tokens, scopes] of open) {
      const atMs = nowMs - ageMs;
      const count = (): void => {
        this.#openOf.get(processId)?.set(number, { ticket: this.#store.restoreOpen(scopes, tokens, atMs), tokens });
      };
      this.#stated.push({ atMs, count });
    }
  }

  #restore(): void {
    if (this.#stated.length === 0) return;
    const stated = this.#stated;
    this.#stated = [];
    for (const { count } of stated.toSorted((a, b) => a.atMs - b.atMs)) count();
  }
}
