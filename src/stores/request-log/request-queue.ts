import { beginningOf } from "../../vocabulary/beginning-of.ts";
import { RequestNotes, type EndedRequest } from "../../vocabulary/request-notes.ts";
import type { DropReason } from "./request-log-store.ts";

const CHAT_COMPLETIONS = "/v1/chat/completions";
/** Some 15 MB of them, in the worst case. */
export const MAX_QUEUED = 10_000;
/** Anybody can knock without a key, as often as they like: the first of a minute are enough to see that somebody does. */
export const STRANGERS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** What is longer is cut here already; what is kept in the end is shorter still. */
const MAX_WORDS_CHARS = 1000;

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

  /** On the path of every request. What waits now, if it has found room. */
  add(ended: EndedRequest): EndedRequest | undefined {
    if (ended.path !== CHAT_COMPLETIONS || ended.isProbe) return undefined;
    if (ended.notes.keyId === undefined && !this.#admitsStranger(ended.endedAtMs)) {
      this.drops.without_key++;
      return undefined;
    }
    if (this.#items.length >= MAX_QUEUED) {
      this.drops.queue_full++;
      return undefined;
    }
    const queued = lean(ended);
    this.#items.push(queued);
    return queued;
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

/** A request without what could be large: a trace has all that was said, and must not keep it while nothing can be written. */
function lean(ended: EndedRequest): EndedRequest {
  const { trace, param = "", detail = "" } = ended.notes;
  if (trace === undefined && param.length <= MAX_WORDS_CHARS && detail.length <= MAX_WORDS_CHARS) return ended;
  const notes = Object.assign(new RequestNotes(), ended.notes, { trace: undefined });
  if (notes.param !== undefined) notes.param = beginningOf(param, MAX_WORDS_CHARS);
  if (notes.detail !== undefined) notes.detail = beginningOf(detail, MAX_WORDS_CHARS);
  return { ...ended, notes };
}
