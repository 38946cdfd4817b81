import { truncate } from "../../lib/text/truncate.ts";
import type { Attempt } from "../../requests/attempt.ts";
import { RequestNotes, type EndedRequest } from "../../requests/request-notes.ts";
import type { DropReason } from "./request-log-store.ts";

const CHAT_COMPLETIONS = "/v1/chat/completions";
/** Measured: some 10 MB of them, and 110 MB where each was tried four times and all words are as long as they may be. */
export const MAX_QUEUED = 10_000;
/** Anybody can knock without a key, as often as they like: the first of a minute are enough to see that somebody does. */
export const UNAUTHENTICATED_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/** What is longer is cut here already. It is a little more than what is kept, so that a secret which the cut would split is seen whole. */
const MAX_WORDS_CHARS = 600;

/** Requests that wait to be written, so many and no more, and the count of those that found no room. */
export class RequestQueue {
  readonly drops: Record<DropReason, number> = { queue_full: 0, without_key: 0, no_disk_room: 0 };
  #items: EndedRequest[] = [];
  #done = 0;
  #minute = 0;
  #unauthenticated = 0;

  get length(): number {
    return this.#items.length;
  }

  /** How many have been done with. */
  get done(): number {
    return this.#done;
  }

  /** On the path of every request. What waits now, if it has found room. */
  add(ended: EndedRequest): EndedRequest | undefined {
    if (ended.path !== CHAT_COMPLETIONS || ended.method !== "POST" || ended.isProbe) return undefined;
    if (ended.notes.keyId === undefined && !this.#admitsUnauthenticated(ended.endedAtMs)) {
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

  #admitsUnauthenticated(atMs: number): boolean {
    const minute = Math.floor(atMs / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#unauthenticated] = [minute, 0];
    return this.#unauthenticated++ < UNAUTHENTICATED_PER_MINUTE;
  }
}

/** A request without what could be large: a trace has all that was said, and must not keep it while nothing can be written. */
function lean(ended: EndedRequest): EndedRequest {
  const { trace, param, detail, attempts } = ended.notes;
  if (trace === undefined && !isLong(param) && !isLong(detail) && !attempts.some(hasLongDetail)) return ended;
  const notes = Object.assign(new RequestNotes(), ended.notes, { trace: undefined });
  notes.param = shortened(param);
  notes.detail = shortened(detail);
  if (attempts.some(hasLongDetail)) notes.attempts = attempts.map((attempt) => ({ ...attempt, detail: shortened(attempt.detail) }));
  return { ...ended, notes };
}

function hasLongDetail({ detail }: Attempt): boolean {
  return isLong(detail);
}

function isLong(words: string | undefined): boolean {
  return words !== undefined && words.length > MAX_WORDS_CHARS;
}

function shortened(words: string | undefined): string | undefined {
  return words === undefined ? undefined : truncate(words, MAX_WORDS_CHARS);
}
