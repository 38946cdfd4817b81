import type { Attempt } from "../../requests/attempt.ts";
import type { ConversationRequest } from "../../requests/chat-request.ts";
import type { RequestTrace } from "../../requests/request-trace.ts";
import { summarizeResponse, EMPTY_SUMMARY, type ResponseSummary } from "./response-summary.ts";
import { inputMessages, outputMessages, type ContentAttribute, MAX_CONTENT_CHARS } from "./content-attributes.ts";
import { formatTraceparent, type TraceParent } from "./traceparent.ts";
import { isObject } from "../../lib/schema/schema.ts";

/** The trace context of a request, for `RequestTrace`. */
interface TraceContext extends TraceParent {
  readonly parentId: string | undefined;
  readonly state: string | undefined;
}

/** A request in a trace, with the data captured for its spans. Nothing is captured for an unsampled request. */
export class TracedRequest implements RequestTrace {
  readonly #context: TraceContext;
  readonly #hasContent: boolean;
  #request: ConversationRequest | undefined;
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

  asked(request: ConversationRequest): void {
    if (this.isSampled) this.#request = request;
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
    return this.#request?.body ?? {};
  }

  answer(): ResponseSummary {
    if (this.#stream) return this.#stream.summary();
    return this.#body === undefined ? EMPTY_SUMMARY : summarizeResponse(this.#body);
  }

  /** The prompt, if message content is exported. */
  input(): ContentAttribute | undefined {
    return this.#hasContent && this.#request ? inputMessages(this.#request.conversation) : undefined;
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

/** Captures a stream as it passes. */
interface StreamCapture {
  capture(chunks: readonly string[]): void;
  summary(): ResponseSummary;
}

/**
 * Captures only the first and the last chunks of a stream, and parses them at the end of the stream: the first chunk has the id, and one of
 * the last chunks has the finish reason.
 */
export class StreamEnds implements StreamCapture {
  #first: string | undefined;
  #last: readonly string[] = [];
  #beforeLast: readonly string[] = [];

  capture(chunks: readonly string[]): void {
    this.#first ??= chunks[0];
    this.#beforeLast = this.#last;
    this.#last = chunks;
  }

  summary(): ResponseSummary {
    const finishReasons = [...this.#beforeLast, ...this.#last].flatMap((chunk) => summarizeResponse(chunk).finishReasons ?? []);
    return {
      id: this.#first === undefined ? undefined : summarizeResponse(this.#first).id,
      finishReasons: finishReasons.length > 0 ? finishReasons : undefined,
      choices: [],
    };
  }
}

/** A choice as received so far. */
interface Choice {
  readonly message: { role: "assistant"; content: string; reasoning_content: string; tool_calls: Call[] };
  finish_reason: string | undefined;
}

interface Call {
  id: string | undefined;
  readonly function: { name: string; arguments: string };
}

/** The most choices that are captured, and the most tool calls in a choice: more than any response has. */
const MAX_PIECES = 128;

/** Captures the content of a stream up to the limit. Each chunk is parsed. */
export class StreamContent implements StreamCapture {
  readonly #choices: Choice[] = [];
  #id: string | undefined;
  #chars = 0;

  capture(chunks: readonly string[]): void {
    for (const chunk of chunks) {
      const { id, choices } = summarizeResponse(chunk);
      this.#id ??= id;
      for (const choice of choices) if (isObject(choice)) this.#add(choice);
    }
  }

  summary(): ResponseSummary {
    const reasons = this.#choices.flatMap((choice) => choice?.finish_reason ?? []);
    return { id: this.#id, finishReasons: reasons.length > 0 ? reasons : undefined, choices: this.#choices.filter(Boolean) };
  }

  #add({ index, delta, finish_reason: reason }: Record<string, unknown>): void {
    const choice = (this.#choices[toPieceIndex(index)] ??= {
      message: { role: "assistant", content: "", reasoning_content: "", tool_calls: [] },
      finish_reason: undefined,
    });
    if (typeof reason === "string") choice.finish_reason = reason;
    if (!isObject(delta)) return;
    const { message } = choice;
    message.content += this.#piece(delta["content"]);
    message.reasoning_content += this.#piece(delta["reasoning_content"]);
    const calls = delta["tool_calls"];
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#addCall(message.tool_calls, call);
  }

  #addCall(calls: Call[], { index, id, function: called }: Record<string, unknown>): void {
    const call = (calls[toPieceIndex(index)] ??= { id: undefined, function: { name: "", arguments: "" } });
    if (typeof id === "string") call.id = this.#piece(id);
    if (!isObject(called)) return;
    call.function.name += this.#piece(called["name"]);
    call.function.arguments += this.#piece(called["arguments"]);
  }

  /** One character more than the limit, so that truncation is noticed. */
  #piece(text: unknown): string {
    if (typeof text !== "string" || this.#chars > MAX_CONTENT_CHARS) return "";
    this.#chars += text.length;
    return text.slice(0, MAX_CONTENT_CHARS + 1);
  }
}

function toPieceIndex(index: unknown): number {
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_PIECES ? index : 0;
}
