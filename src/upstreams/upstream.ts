import type { ChatRequest } from "../vocabulary/chat-request.ts";
import type { Usage } from "../vocabulary/usage.ts";

/** One call of one model at one upstream. */
export interface UpstreamCall {
  readonly chat: ChatRequest;
  /** The upstream's own name for the model. Replies carry the public one, `chat.model`. */
  readonly upstreamModel: string;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

/** A whole answer. */
export interface Completion {
  /** The reply body in the chat-completions format, as JSON text. */
  readonly body: string;
  /** Token counts as the upstream reported them, if it did. */
  readonly usage: Usage | undefined;
}

/** An answer that comes in pieces, read one batch at a time so that a slow reader slows the upstream down. */
export interface ChunkStream {
  /**
   * The next chunks in the chat-completions format, as JSON text; undefined at the end. The last one carries the token
   * counts if, and only if, the caller asked for them. Throws where the upstream broke off: an answer without a finish
   * reason is a failure, never an end.
   */
  read(): Promise<readonly string[] | undefined>;
  /** Token counts as far as the upstream has reported them. */
  readonly usage: Usage | undefined;
  /** Breaks off the call to the upstream at once. */
  cancel(): void;
}

/**
 * An upstream: a dialect, an address and a credential. Both methods throw `GatewayError` for what went wrong there, and
 * `CallerGone` when the signal ended the call.
 */
export interface Upstream {
  /** Asks for the whole answer as one JSON body. */
  complete(call: UpstreamCall): Promise<Completion>;
  /** Asks for a stream. Resolves with the first chunk at hand, so that an early failure is still an HTTP status. */
  stream(call: UpstreamCall): Promise<ChunkStream>;
}
