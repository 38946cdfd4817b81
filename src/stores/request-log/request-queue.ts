import type { EndedRequest } from "../../vocabulary/request-notes.ts";
import type { DropReason } from "./request-log-store.ts";

const CHAT_COMPLETIONS = "/v1/chat/completions";
/** Some 15 MB of them, in the worst case. */
export const MAX_QUEUED = 10_000;
/** Anybody can knock without a key, as often as they like: the first of a minute are enough to see that somebody does. */
export const STRANGERS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** Requests that wait to be written, so many and no more, and the count of those that found no room. */
export class RequestQueue {
  readonly drops: Record<DropReason, number> = { queue_full: 0, without_key: 0, no_disk_room: 0 };
  #items: EndedRequest[] = [];
  #done = 0;
  #minute = 0;
  #strangers = 0;

  get length(): number {
    return this.#items.length;
  }

  /** How many have been done with. */
  get done(): number {
    return this.#done;
  }

  /** On the path of every request. Whether it has found room. */
  add(ended: EndedRequest): boolean {
    if (ended.path !== CHAT_COMPLETIONS || ended.isProbe) return false;
    if (ended.notes.keyId === undefined && !this.#admitsStranger(ended.endedAtMs)) {
      this.drops.without_key++;
      return false;
    }
    if (this.#items.length >= MAX_QUEUED) {
      this.drops.queue_full++;
      return false;
    }
    this.#items.push(ended);
    return true;
  }

  /** The oldest, at most so many. They stay until they are done with. */
  first(count: number): readonly EndedRequest[] {
    return this.#items.slice(0, count);
  }

  /** Done with the oldest. */
  remove(count: number): void {
    this.#done += count;
    if (count === this.#items.length) this.#items = [];
    else this.#items.splice(0, count);
  }

  #admitsStranger(atMs: number): boolean {
    const minute = Math.floor(atMs / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#strangers] = [minute, 0];
    return this.#strangers++ < STRANGERS_A_MINUTE;
  }
}
