import type { Attempt } from "./attempt.ts";
import type { ChatRequest } from "./chat-request.ts";

/** The trace context of a request (W3C Trace Context), with the recorder of its spans. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The request's own span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller's span, where it has named one. */
  readonly parentId: string | undefined;
  /** What the callers before us pass along in it. */
  readonly state: string | undefined;
  /** Whether its spans are exported. */
  readonly isSampled: boolean;
  /** The request, once it has been read. */
  asked(chat: ChatRequest): void;
  /** A complete response: JSON in the chat-completions format. */
  answered(body: string): void;
  /** The next pieces of a stream. */
  heard(chunks: readonly string[]): void;
  /** Gives a try a span of its own. These headers tell the upstream of it. */
  begin(attempt: Attempt): Readonly<Record<string, string>>;
}
