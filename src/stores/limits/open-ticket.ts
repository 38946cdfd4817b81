import type { CountedRequest } from "./counters.ts";
import { type EndMessage, UNDONE } from "./limit-messages.ts";
import type { LimitTicket, ScopeName } from "./limit-store.ts";

/** An admission by the owner. */
export interface TakenTicket {
  readonly number: number;
  readonly scopes: readonly ScopeName[];
  /** As estimated. */
  readonly tokens: number;
  /** When the owner's reply arrived: it has counted the request before that, so a new owner does not count it for too short a time. */
  readonly atMs: number;
}

/** A request of this process in flight, which the owner counts. */
export class OpenTicket implements LimitTicket {
  readonly taken: TakenTicket;
  readonly #counted: readonly CountedRequest[];
  readonly #ended: (end: EndMessage) => void;

  /** `counted`: the same request in the counters of this process. */
  constructor(taken: TakenTicket, counted: readonly CountedRequest[], ended: (end: EndMessage) => void) {
    this.taken = taken;
    this.#counted = counted;
    this.#ended = ended;
  }

  end(tokens: number): void {
    for (const each of this.#counted) each.end(tokens);
    this.#ended([this.taken.number, tokens]);
  }

  undo(): void {
    for (const each of this.#counted) each.undo();
    this.#ended([this.taken.number, UNDONE]);
  }
}
