import type { Attempt } from "../../requests/attempt.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { RequestTrace } from "../../requests/request-trace.ts";
import { factsIn, NO_FACTS, type AnswerFacts } from "./response-summary.ts";
import { StreamContent, StreamEnds, type HeardStream } from "./stream-capture.ts";
import { tellInput, tellOutput, type ToldMessages } from "./content-attributes.ts";
import { formatTraceparent, type TraceParent } from "./traceparent.ts";

/** The place of a request, as `RequestTrace` has it. */
export interface Place extends TraceParent {
  readonly parentId: string | undefined;
  readonly state: string | undefined;
}

/** A request in a trace, and what was noted of it for its spans. Of one that is not sampled nothing is. */
export class NotedRequest implements RequestTrace {
  readonly #place: Place;
  readonly #hasContent: boolean;
  #chat: ChatRequest | undefined;
  #body: string | undefined;
  #stream: HeardStream | undefined;

  constructor(place: Place, hasContent: boolean) {
    this.#place = place;
    this.#hasContent = hasContent;
  }

  get traceId(): string {
    return this.#place.traceId;
  }

  get spanId(): string {
    return this.#place.spanId;
  }

  get parentId(): string | undefined {
    return this.#place.parentId;
  }

  get state(): string | undefined {
    return this.#place.state;
  }

  get isSampled(): boolean {
    return this.#place.isSampled;
  }

  asked(chat: ChatRequest): void {
    if (this.isSampled) this.#chat = chat;
  }

  answered(body: string): void {
    if (this.isSampled) this.#body = body;
  }

  heard(chunks: readonly string[]): void {
    if (!this.isSampled) return;
    this.#stream ??= this.#hasContent ? new StreamContent() : new StreamEnds();
    this.#stream.hear(chunks);
  }

  begin(attempt: Attempt): Readonly<Record<string, string>> {
    const spanId = newId(SPAN_ID_BYTES);
    attempt.spanId = spanId;
    const traceparent = formatTraceparent({ ...this.#place, spanId });
    return this.state === undefined ? { traceparent } : { traceparent, tracestate: this.state };
  }

  /** What was asked for, without the messages. */
  get parameters(): Readonly<Record<string, unknown>> {
    return this.#chat?.body ?? {};
  }

  answer(): AnswerFacts {
    if (this.#stream) return this.#stream.facts();
    return this.#body === undefined ? NO_FACTS : factsIn(this.#body);
  }

  /** What was said, where that is wanted. */
  input(): ToldMessages | undefined {
    return this.#hasContent && this.#chat ? tellInput(this.#chat.messages) : undefined;
  }

  output({ choices }: AnswerFacts): ToldMessages | undefined {
    return this.#hasContent && choices.length > 0 ? tellOutput(choices) : undefined;
  }
}

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;

/** So many random bytes, in hexadecimal digits. All of them are zero, which is not allowed, once in 2^64 times. */
export function newId(bytes: number): string {
  return crypto.getRandomValues(Buffer.allocUnsafe(bytes)).toString("hex");
}
