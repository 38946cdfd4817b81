import type { EntryTable } from "../tables/entry-table.ts";

/** Tracks request ids, to reject a second hold for one: its second closing entry would violate an index and could never be written. */
export class RequestTracker {
  readonly #entries: EntryTable;
  /** Requests whose closing entry is not in the database yet. */
  readonly #endsWaiting = new Set<string>();
  /** Request ids increase with time (UUID version 7): an id above all earlier ones is new, and needs no query. */
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

  /** Every closing entry is in the database. */
  written(): void {
    this.#endsWaiting.clear();
    this.#mostOpen = this.#open;
  }

  /** The peak of concurrent requests since the last commit. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  hasEnded(requestId: string): boolean {
    return requestId <= this.#highest && (this.#endsWaiting.has(requestId) || this.#entries.hasEnd(requestId));
  }
}
