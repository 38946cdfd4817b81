import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import { type LimitStatement, NO_TICKET, readScope, type TakeMessage, type TakeReply, type TurnMessage, UNDONE } from "./limit-messages.ts";
import type { LimitRefusal, LimitTicket, ScopeName } from "./limit-store.ts";
import type { MemoryLimitStore } from "./memory-limit-store.ts";

interface OpenTicket {
  readonly ticket: LimitTicket;
  /** As estimated. */
  readonly tokens: number;
}

/** What processes have stated of one moment. */
interface StatedMoment {
  readonly ended: { readonly scope: ScopeName; readonly what: "requests" | "tokens"; readonly amount: number }[];
  readonly open: { readonly scopes: readonly ScopeName[]; readonly tokens: number; readonly hold: (ticket: LimitTicket) => void }[];
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
  /** What is not restored yet, by time. */
  readonly #stated = new Map<number, StatedMoment>();

  constructor(store: MemoryLimitStore, monotonicMs: () => number) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
  }

  /** A process that was connected before has nothing to state: it sends the tickets again that were ended meanwhile. */
  connected({ id }: ConnectedProcess, statement: unknown): void {
    if (this.#openOf.has(id)) return;
    this.#openOf.set(id, new Map());
    // Windows count in the order of time, so the statements of all processes are restored together.
    if (this.#stated.size === 0) setImmediate(() => this.#restore());
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
    for (const [kind, id, requests, tokens] of ended) {
      const scope = { kind, id };
      for (const [ageMs, amount] of requests) this.#momentAt(nowMs - ageMs).ended.push({ scope, what: "requests", amount });
      for (const [ageMs, amount] of tokens) this.#momentAt(nowMs - ageMs).ended.push({ scope, what: "tokens", amount });
    }
    for (const [number, ageMs, tokens, scopes] of open) {
      const hold = (ticket: LimitTicket): void => void this.#openOf.get(processId)?.set(number, { ticket, tokens });
      this.#momentAt(nowMs - ageMs).open.push({ scopes, tokens, hold });
    }
  }

  #momentAt(atMs: number): StatedMoment {
    let moment = this.#stated.get(atMs);
    if (!moment) this.#stated.set(atMs, (moment = { ended: [], open: [] }));
    return moment;
  }

  #restore(): void {
    if (this.#stated.size === 0) return;
    const inOrder = [...this.#stated].toSorted(([a], [b]) => a - b);
    this.#stated.clear();
    for (const [atMs, { ended, open }] of inOrder) {
      for (const { scope, what, amount } of ended) this.#store.restoreEnded(scope, what, amount, atMs);
      for (const { scopes, tokens, hold } of open) hold(this.#store.restoreOpen(scopes, tokens, atMs));
    }
  }
}
