import type { Attempt } from "./attempt.ts";
import type { ConversationRequest } from "./chat-request.ts";

/** The trace context of a request (W3C Trace Context), with the recorder of its spans. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the request: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller's span, if it sent one. */
  readonly parentId: string | undefined;
  /** The caller's `tracestate`. */
  readonly state: string | undefined;
  /** Whether its spans are exported. */
  readonly isSampled: boolean;
  /** Receives the request, once it has been read. */
  asked(request: ConversationRequest): void;
  /** Receives a complete response: JSON in the chat-completions format. */
  answered(body: string): void;
  /** Receives the next chunks of a stream. */
  streamed(chunks: readonly string[]): void;
  /** Starts the span of an attempt. Returns the trace headers for the upstream. */
  begin(attempt: Attempt): Readonly<Record<string, string>>;
}
