import type { CountedRequest } from "./counters.ts";
import { type EndMessage, UNDONE } from "./limit-messages.ts";
import type { LimitTicket } from "./limit-store.ts";
import type { OwnCounters } from "./slice.ts";

/** A request of this process in flight. */
export class OpenTicket implements LimitTicket {
  readonly number: number;
  /** The estimated tokens. */
  readonly tokens: number;
  /**
   * The time of admission. If the authority was asked: the arrival of its reply. It has counted the request before that, so a new authority
   * does not count it for too short a time.
   */
  readonly atMs: number;
  readonly #counted: readonly CountedRequest[];
  readonly #ended: (ticket: OpenTicket, end: EndMessage) => void;

  constructor(
    { number, tokens, atMs }: Pick<OpenTicket, "number" | "tokens" | "atMs">,
    counted: readonly CountedRequest[],
    ended: (ticket: OpenTicket, end: EndMessage) => void,
  ) {
    this.number = number;
    this.tokens = tokens;
    this.atMs = atMs;
    this.#counted = counted;
    this.#ended = ended;
  }

  /** The counters of its scopes. */
  get counters(): readonly OwnCounters[] {
    return this.#counted.map(({ counters }) => counters as OwnCounters);
  }

  end(tokens: number): void {
    for (const each of this.#counted) each.end(tokens);
    this.#ended(this, { ticket: this.number, tokens });
  }

  undo(): void {
    for (const each of this.#counted) each.undo();
    this.#ended(this, { ticket: this.number, tokens: UNDONE });
  }
}
