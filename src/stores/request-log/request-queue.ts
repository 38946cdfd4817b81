import { truncate } from "../../lib/text/truncate.ts";
import type { Attempt } from "../../requests/attempt.ts";
import { callsModel, RequestNotes, type EndedRequest } from "../../requests/request-notes.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import { ReceivedRequest, type QueuedRequest } from "./queued-request.ts";
import type { DropReason } from "./request-log-store.ts";

/** Measured: about 10 MB, and 110 MB if each request has four attempts and all texts have their maximum length. */
export const MAX_QUEUED = 10_000;
/** Anybody can send any number of requests without a key: the first requests of a minute are enough to show that somebody does. */
export const UNAUTHENTICATED_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/**
 * Longer texts are truncated already in the queue. Slightly above the length that is logged, so that a secret at the end is seen
 * completely.
 */
const MAX_TEXT_CHARS = 600;

/** A bounded queue of requests to be written, and the count of dropped ones. */
export class RequestQueue {
  readonly drops: Record<DropReason, number> = { queue_full: 0, without_key: 0, no_disk_room: 0 };
  #items: QueuedRequest[] = [];
  #done = 0;
  #minute = 0;
  #unauthenticated = 0;

  get length(): number {
    return this.#items.length;
  }

  /** The number of requests that were written or dropped. */
  get done(): number {
    return this.#done;
  }

  /** Adds a request. On the path of requests. Returns the queued request, or undefined if it was dropped. */
  add(ended: EndedRequest): EndedRequest | undefined {
    if (!callsModel(ended) || ended.isProbe) return undefined;
    if (ended.notes.keyId === undefined && !this.#admitsUnauthenticated(ended.endedAtMs)) {
      this.drops.without_key++;
      return undefined;
    }
    if (this.#items.length >= MAX_QUEUED) {
      this.drops.queue_full++;
      return undefined;
    }
    const queued = withoutLargeValues(ended);
    this.#items.push(queued);
    return queued;
  }

  /** Adds the records of another process, as far as there is space. */
  receive(records: readonly LoggedRequest[]): void {
    const room = MAX_QUEUED - this.#items.length;
    for (const record of records.slice(0, room)) this.#items.push(new ReceivedRequest(record));
    this.drops.queue_full += Math.max(0, records.length - room);
  }

  /** The oldest requests, at most `count`. They stay until `remove`. */
  first(count: number): readonly QueuedRequest[] {
    return this.#items.slice(0, count);
  }

  /** Removes the oldest requests. */
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

/**
 * A copy of a request without large values: a trace refers to the prompt and response, which must not stay in memory while the log cannot
 * be written.
 */
function withoutLargeValues(ended: EndedRequest): EndedRequest {
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

function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MAX_TEXT_CHARS;
}

function shortened(text: string | undefined): string | undefined {
  return text === undefined ? undefined : truncate(text, MAX_TEXT_CHARS);
}
