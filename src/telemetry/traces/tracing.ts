import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { EndedRequest, RequestObserver } from "../../requests/request-notes.ts";
import type { RequestTrace } from "../../requests/request-trace.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { TraceExportState, TraceSettings, SamplerSettings } from "./trace-settings.ts";
import { encodeExport, encodeSpan, type SpanSource } from "./encode-spans.ts";
import { SpanExporter, type CollectorReply, type ExportEvent } from "./exporter.ts";
import { newId, TracedRequest, SPAN_ID_BYTES, TRACE_ID_BYTES } from "./traced-request.ts";
import { buildSpans, type FindUpstream } from "./build-spans.ts";
import { parseTraceparent, parseTracestate, type TraceParent } from "./traceparent.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

export interface TracingOptions {
  readonly settings: TraceSettings;
  /** Tollgate's version. */
  readonly version: string;
  /** Posts to the collector. */
  readonly post: (headers: Readonly<Record<string, string>>, body: Uint8Array, signal: AbortSignal) => Promise<CollectorReply>;
  readonly findUpstream: FindUpstream;
  /** Removes secrets from message content. */
  readonly hide: (text: string) => string;
  readonly report: (event: ExportEvent) => void;
  /** Called when the spans of a request could not be built. */
  readonly reportFailure: (thrown: unknown) => void;
}

/** The deadline of the last export at shutdown. */
const LAST_EXPORT_MS = 1_500;

/** Tracing: assigns each request a trace context, and exports its spans when it has ended. */
export class Tracing {
  readonly #options: TracingOptions;
  readonly #exporter: SpanExporter;
  readonly #source: SpanSource;
  readonly #headers: Readonly<Record<string, string>>;
  #ended: EndedRequest[] = [];

  constructor(options: TracingOptions) {
    const { settings, version } = options;
    this.#options = options;
    this.#source = { resource: { ...settings.resource, "service.version": version }, scope: { name: "tollgate", version } };
    this.#headers = {
      ...Object.fromEntries(Object.entries(settings.headers).map(([name, secret]) => [name, secret.reveal()])),
      "user-agent": `tollgate/${version}`,
      "content-type": "application/x-protobuf",
      ...(settings.isCompressed && { "content-encoding": "gzip" }),
    };
    this.#exporter = new SpanExporter({
      post: (batch, signal) => this.#post(batch, signal),
      report: (event) => this.#report(event),
      gatherMs: settings.gatherMs,
    });
  }

  /** The trace context of a request: from the client's headers, or a new trace. */
  readonly begin = (headers: HeaderFields): RequestTrace => {
    const { sampler, hasContent } = this.#options.settings;
    const parent = parseTraceparent(headers.get("traceparent"));
    const traceId = parent?.traceId ?? newId(TRACE_ID_BYTES);
    const context = {
      traceId,
      spanId: newId(SPAN_ID_BYTES),
      parentId: parent?.spanId,
      isSampled: isSampled(sampler, traceId, parent),
      isRandom: parent?.isRandom ?? true,
      state: parent && parseTracestate(headers.get("tracestate")),
    };
    return new TracedRequest(context, hasContent);
  };

  /** Requests without a valid key are not traced: anybody can send them, and their spans would displace other spans in the queue. */
  readonly observe: RequestObserver = (ended) => {
    const { trace, keyId, attempts } = ended.notes;
    if (!trace?.isSampled || keyId === undefined || !this.#exporter.hasRoomFor(1 + attempts.length)) return;
    // Spans are built after the response was sent, but soon after, because the bodies are retained until then.
    if (this.#ended.push(ended) === 1) setImmediate(() => this.#exportEnded());
  };

  get state(): TraceExportState {
    return this.#exporter.state;
  }

  async close(): Promise<void> {
    this.#exportEnded();
    await this.#exporter.close(LAST_EXPORT_MS);
  }

  #exportEnded(): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const each of ended) this.#export(each);
  }

  /** Runs in the background, where an uncaught exception would end the process. */
  #export(ended: EndedRequest): void {
    const { findUpstream, hide, reportFailure } = this.#options;
    try {
      this.#exporter.add(buildSpans(ended, ended.notes.trace as TracedRequest, findUpstream, hide).map(encodeSpan));
    } catch (error) {
      reportFailure(error);
    }
  }

  /** Redacts the token, which a collector may echo. */
  #report(event: ExportEvent): void {
    const { settings, report } = this.#options;
    if (event.kind !== "rejected") return report(event);
    const words = Object.values(settings.headers).flatMap((secret) => [secret, new Secret(secret.reveal().split(" ").at(-1)!)]);
    const message = words.reduce((text, secret) => secret.redactFrom(text), event.rejection.message);
    report({ kind: "rejected", rejection: { ...event.rejection, message } });
  }

  async #post(batch: readonly Uint8Array[], signal: AbortSignal): Promise<CollectorReply> {
    const bytes = encodeExport(batch, this.#source);
    const body = this.#options.settings.isCompressed ? await promisify(gzip)(bytes) : bytes;
    return this.#options.post(this.#headers, body, signal);
  }
}

/** The last 56 bits of a trace id are random by level 2 of Trace Context; a decision based on them is the same for all spans of a trace. */
const RANDOM_DIGITS = 14;
const SPAN_OF_RANDOM = 2 ** 56;

/** Whether a trace is sampled. */
export function isSampled({ ratio, isParentBased }: SamplerSettings, traceId: string, parent: TraceParent | undefined): boolean {
  if (isParentBased && parent) return parent.isSampled;
  if (ratio === 0 || ratio === 1) return ratio === 1;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * SPAN_OF_RANDOM;
}
