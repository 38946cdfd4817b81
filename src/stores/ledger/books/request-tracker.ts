import type { EntryTable } from "../tables/entry-table.ts";

/** Which requests have had their hold: a second end of one could never be written. */
export class RequestTracker {
  readonly #entries: EntryTable;
  /** Those whose end is not in the database yet. */
  readonly #endsWaiting = new Set<string>();
  /** Ids of requests count up with time: one above all that were ever held is new, and the database need not be asked. */
  #highest: string;
  #open = 0;
  #mostOpen = 0;

  constructor(entries: EntryTable, open: Iterable<string>) {
    this.#entries = entries;
    this.#highest = entries.highestEndedRequestId;
    for (const requestId of open) this.held(requestId);
  }

  held(requestId: string): void {
    if (requestId > this.#highest) this.#highest = requestId;
    this.#open++;
    if (this.#open > this.#mostOpen) this.#mostOpen = this.#open;
  }

  ended(requestId: string): void {
    this.#endsWaiting.add(requestId);
    this.#open--;
  }

  /** Every end is in the database. */
  written(): void {
    this.#endsWaiting.clear();
    this.#mostOpen = this.#open;
  }

  /** The most that were under way at once since every end was in the database. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  hasEnded(requestId: string): boolean {
    return requestId <= this.#highest && (this.#endsWaiting.has(requestId) || this.#entries.hasEnd(requestId));
  }
}
