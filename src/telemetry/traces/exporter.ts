import type { TraceExportState } from "./trace-settings.ts";

/** A response of the collector. */
export interface CollectorReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A change in the state of the export, reported once. */
export type ExportEvent =
  | { readonly kind: "failing"; readonly detail: string }
  | { readonly kind: "working"; readonly lost: number }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

interface ExporterOptions {
  /** Posts a batch to the collector. Throws without a response. */
  readonly post: (batch: readonly Uint8Array[], signal: AbortSignal) => Promise<CollectorReply>;
  readonly report: (event: ExportEvent) => void;
  /** The batch delay. */
  readonly gatherMs: number;
  /** The wait before the first retry; it doubles with each one. */
  readonly backoffMs?: number;
  readonly nowMs?: () => number;
}

const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
const MAX_TRIES = 6;

/** Retryable statuses. Any other rejection would happen again (OTLP specification, OTLP/HTTP response). */
const WORTH_A_RETRY = new Set([429, 502, 503, 504]);

/**
 * Exports spans to a collector in sequential batches with retries. It runs in the background, and an unavailable collector only fills the
 * queue.
 */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #queue = new SpanQueue();
  /** Aborted at shutdown: after that, nothing is retried. */
  readonly #closing = new AbortController();
  /** Cancels the export in flight. */
  readonly #givingUp = new AbortController();
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #exported = 0;
  #failed = 0;
  #isFailing = false;
  #hasToldRejection = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  get state(): TraceExportState {
    return { queued: this.#queue.length, exported: this.#exported, dropped: this.#queue.dropped, failed: this.#failed };
  }

  /** Whether this many more spans fit into the queue. Spans that do not fit are counted as dropped. */
  hasRoomFor(spans: number): boolean {
    return this.#queue.hasRoomFor(spans);
  }

  add(spans: readonly Uint8Array[]): void {
    this.#queue.add(spans);
    if (this.#sending) return;
    if (this.#queue.length >= BATCH_SPANS) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#options.gatherMs).unref();
  }

  /** Exports the rest within a time limit, with one attempt per batch. */
  async close(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#givingUp.abort(), withinMs);
    this.#closing.abort();
    if (!this.#sending) this.#send();
    await this.#sending;
    clearTimeout(timer);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#givingUp.signal.aborted) await this.#sendBatch(this.#queue.take());
  }

  async #sendBatch(batch: readonly Uint8Array[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { trouble, retryMs } = await this.#try(batch);
      if (trouble === undefined) return;
      this.#tellTrouble(trouble);
      if (retryMs === undefined || tries === MAX_TRIES || this.#closing.signal.aborted) {
        this.#failed += batch.length;
        return;
      }
      await pause(Math.max(retryMs, this.#backoffMs(tries)), this.#closing.signal);
    }
  }

  /** The failure of an attempt, if any, with the minimum wait if it can be retried. */
  async #try(batch: readonly Uint8Array[]): Promise<{ trouble?: string; retryMs?: number }> {
    try {
      const { status, headers, body } = await this.#options.post(batch, this.#givingUp.signal);
      if (status >= 200 && status < 300) return this.#arrived(batch.length, readRejection(body));
      const trouble = `the collector returned ${status}`;
      return WORTH_A_RETRY.has(status) ? { trouble, retryMs: this.#retryAfterMs(headers) } : { trouble };
    } catch (error) {
      return { trouble: reasonIn(error), retryMs: 0 };
    }
  }

  /** A batch that the collector accepted, even partially, must not be sent again. */
  #arrived(count: number, rejection: Rejection | undefined): object {
    const rejected = Math.min(rejection?.spans ?? 0, count);
    this.#failed += rejected;
    this.#exported += count - rejected;
    if (rejection && !this.#hasToldRejection) this.#options.report({ kind: "rejected", rejection });
    this.#hasToldRejection ||= rejection !== undefined;
    if (this.#isFailing) this.#options.report({ kind: "working", lost: this.#failed + this.#queue.dropped });
    this.#isFailing = false;
    return {};
  }

  #tellTrouble(detail: string): void {
    if (!this.#isFailing) this.#options.report({ kind: "failing", detail });
    this.#isFailing = true;
  }

  /** A random factor between one half and one, so that gateways that failed together do not retry together. */
  #backoffMs(tries: number): number {
    const longest = Math.min((this.#options.backoffMs ?? BACKOFF_MS) * 2 ** (tries - 1), MAX_BACKOFF_MS);
    return longest * (0.5 + Math.random() / 2);
  }

  /** Seconds, or a date (RFC 9110 §10.2.3). */
  #retryAfterMs(headers: Headers): number {
    const text = headers.get("retry-after") ?? "";
    const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - (this.#options.nowMs ?? Date.now)()) / 1000;
    return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0) * 1000, MAX_BACKOFF_MS);
  }
}

function reasonIn(error: unknown): string {
  const { detail, message } = error as { detail?: string; message?: string };
  return detail ?? message ?? String(error);
}

/** Waits, but ends early at the deadline. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, ms).unref();
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  return promise;
}

/** The rejected part of an accepted batch. */
interface Rejection {
  readonly spans: number;
  readonly message: string;
}

/** Field numbers of `ExportTraceServiceResponse` and of `ExportTracePartialSuccess` in it. */
const PARTIAL_SUCCESS = 1;
const REJECTED_SPANS = 1;
const ERROR_MESSAGE = 2;

/** Parses the response to an export; undefined when all spans were accepted, or the response is unknown. */
function readRejection(answer: Uint8Array): Rejection | undefined {
  const partial = fieldsOf(answer).get(PARTIAL_SUCCESS);
  if (!(partial instanceof Uint8Array)) return undefined;
  const fields = fieldsOf(partial);
  const spans = fields.get(REJECTED_SPANS);
  const message = fields.get(ERROR_MESSAGE);
  const rejection = {
    spans: typeof spans === "number" ? spans : 0,
    message: message instanceof Uint8Array ? Buffer.from(message).toString("utf8") : "",
  };
  return rejection.spans > 0 || rejection.message !== "" ? rejection : undefined;
}

/** The fields of a message, as numbers or bytes. Parsing ends at an unknown wire type or a truncation. */
function fieldsOf(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(Math.floor(tag / 8), value);
    else if (tag % 8 === 2 && at + value <= bytes.length) fields.set(Math.floor(tag / 8), bytes.subarray(at, (at += value)));
    else return fields;
  }
  return fields;
}

const MAX_SPANS = 2048;
const MAX_BYTES = 32 * 1024 * 1024;

const BATCH_SPANS = 512;
/** The default request limit of collectors is 20 MiB. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The queue of encoded spans that wait for export. Its memory is bounded: spans that do not fit are counted as dropped. */
class SpanQueue {
  #spans: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;

  get length(): number {
    return this.#spans.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Whether this many more spans fit and are worth encoding. Spans that do not fit are counted as dropped. */
  hasRoomFor(count: number, bytes = 0): boolean {
    const hasRoom = this.#spans.length + count <= MAX_SPANS && this.#bytes + bytes <= MAX_BYTES;
    if (!hasRoom) this.#dropped += count;
    return hasRoom;
  }

  /** Adds either all spans of a request or none, so that traces are complete. */
  add(spans: readonly Uint8Array[]): void {
    const bytes = bytesOf(spans);
    if (!this.hasRoomFor(spans.length, bytes)) return;
    this.#spans.push(...spans);
    this.#bytes += bytes;
  }

  /** The next batch; empty if the queue is empty. */
  take(): readonly Uint8Array[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(BATCH_SPANS, this.#spans.length); count++) {
      bytes += this.#spans[count]!.length;
      if (count > 0 && bytes > BATCH_BYTES) break;
    }
    const batch = this.#spans.slice(0, count);
    this.#spans = this.#spans.slice(count);
    this.#bytes -= bytesOf(batch);
    return batch;
  }
}

function bytesOf(spans: readonly Uint8Array[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}
