import type { TraceExportState } from "./trace-settings.ts";
import { readRejection, type Rejection } from "./read-rejection.ts";
import { BATCH_SPANS, SpanQueue } from "./span-queue.ts";

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

export interface ExporterOptions {
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
const LONGEST_BACKOFF_MS = 30_000;
const MAX_TRIES = 6;

/** Retryable statuses. Any other rejection would repeat itself (OTLP specification, OTLP/HTTP response). */
const WORTH_A_RETRY = new Set([429, 502, 503, 504]);

/**
 * Exports spans to a collector in sequential batches with retries. It runs in the background, and an unavailable collector costs only the
 * queue.
 */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #queue = new SpanQueue();
  /** Aborted at shutdown: nothing is retried from then on. */
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

  /** Whether this many more spans fit into the queue. Others are counted as dropped. */
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

  /** The failure of an attempt, if any; with the minimum wait if it can be retried. */
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

  /** Jitter above one half, so that gateways that failed together do not retry together. */
  #backoffMs(tries: number): number {
    const longest = Math.min((this.#options.backoffMs ?? BACKOFF_MS) * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
    return longest * (0.5 + Math.random() / 2);
  }

  /** Seconds, or a date (RFC 9110 §10.2.3). */
  #retryAfterMs(headers: Headers): number {
    const text = headers.get("retry-after") ?? "";
    const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - (this.#options.nowMs ?? Date.now)()) / 1000;
    return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0) * 1000, LONGEST_BACKOFF_MS);
  }
}

function reasonIn(error: unknown): string {
  const { detail, message } = error as { detail?: string; message?: string };
  return detail ?? message ?? String(error);
}

/** Ends early at the deadline. */
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
