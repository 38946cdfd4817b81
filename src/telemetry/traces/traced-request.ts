import type { Attempt } from "../../requests/attempt.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { RequestTrace } from "../../requests/request-trace.ts";
import { summarizeResponse, EMPTY_SUMMARY, type ResponseSummary } from "./response-summary.ts";
import { StreamContent, StreamEnds, type StreamCapture } from "./stream-capture.ts";
import { inputMessages, outputMessages, type ContentAttribute } from "./content-attributes.ts";
import { formatTraceparent, type TraceParent } from "./traceparent.ts";

/** The trace context of a request, for `RequestTrace`. */
export interface TraceContext extends TraceParent {
  readonly parentId: string | undefined;
  readonly state: string | undefined;
}

/** A request in a trace, with the data captured for its spans. Nothing is captured for an unsampled request. */
export class TracedRequest implements RequestTrace {
  readonly #context: TraceContext;
  readonly #hasContent: boolean;
  #chat: ChatRequest | undefined;
  #body: string | undefined;
  #stream: StreamCapture | undefined;

  constructor(context: TraceContext, hasContent: boolean) {
    this.#context = context;
    this.#hasContent = hasContent;
  }

  get traceId(): string {
    return this.#context.traceId;
  }

  get spanId(): string {
    return this.#context.spanId;
  }

  get parentId(): string | undefined {
    return this.#context.parentId;
  }

  get state(): string | undefined {
    return this.#context.state;
  }

  get isSampled(): boolean {
    return this.#context.isSampled;
  }

  asked(chat: ChatRequest): void {
    if (this.isSampled) this.#chat = chat;
  }

  answered(body: string): void {
    if (this.isSampled) this.#body = body;
  }

  streamed(chunks: readonly string[]): void {
    if (!this.isSampled) return;
    this.#stream ??= this.#hasContent ? new StreamContent() : new StreamEnds();
    this.#stream.capture(chunks);
  }

  begin(attempt: Attempt): Readonly<Record<string, string>> {
    const spanId = newId(SPAN_ID_BYTES);
    attempt.spanId = spanId;
    const traceparent = formatTraceparent({ ...this.#context, spanId });
    return this.state === undefined ? { traceparent } : { traceparent, tracestate: this.state };
  }

  /** The request parameters, without the messages. */
  get parameters(): Readonly<Record<string, unknown>> {
    return this.#chat?.body ?? {};
  }

  answer(): ResponseSummary {
    if (this.#stream) return this.#stream.summary();
    return this.#body === undefined ? EMPTY_SUMMARY : summarizeResponse(this.#body);
  }

  /** The prompt, if message content is exported. */
  input(): ContentAttribute | undefined {
    return this.#hasContent && this.#chat ? inputMessages(this.#chat.messages) : undefined;
  }

  output({ choices }: ResponseSummary): ContentAttribute | undefined {
    return this.#hasContent && choices.length > 0 ? outputMessages(choices) : undefined;
  }
}

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;

/** A random id in hexadecimal digits. The invalid all-zero id occurs once in 2^64 times. */
export function newId(bytes: number): string {
  return crypto.getRandomValues(Buffer.allocUnsafe(bytes)).toString("hex");
}
