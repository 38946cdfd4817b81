import type { ChatRequest } from "../requests/chat-request.ts";
import type { Deviation } from "../models/deviation.ts";
import type { ParameterMapping } from "../models/parameters/parameters.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { Source } from "../lib/async/source.ts";
import type { Timeouts, UpstreamSettings } from "../models/upstream-settings.ts";
import type { Counted, Usage } from "../money/usage.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** One call of one model at one upstream. */
export interface UpstreamCall {
  readonly chat: ChatRequest;
  /** The upstream's own name for the model. Replies carry the public one, `chat.model`. */
  readonly upstreamModel: string;
  /** Parameters that are left out, or go by another name. */
  readonly carriage: ParameterMapping;
  /** The most tokens each choice may have, where that is not what the caller asked for. The upstream must be told. */
  readonly maxTokens: number | undefined;
  /** What each choice is reckoned to have at most: for dialects that must name a limit where nobody else does. */
  readonly reckonedTokens: number;
  /** Our secret there, if it asks for one. */
  readonly credential: Secret | undefined;
  readonly timeouts: Timeouts;
  /** Aborted when the caller leaves, or has waited as long as it was willing to. */
  readonly signal: CancelSignal;
  /** Headers that tell the upstream which trace this call belongs to, where traces are on. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  /** Hears of everything in which the answer parts from its format. */
  readonly report: (deviation: Deviation) => void;
}

/** As much of a call as is needed to read a stream. The prompt would be held for as long as that takes. */
export interface StreamedCall extends Pick<UpstreamCall, "report"> {
  readonly chat: Pick<ChatRequest, "model">;
}

/** A whole answer. */
export interface Completion extends Counted {
  /** The reply body in the chat-completions format, as JSON text. */
  readonly body: string;
}

/**
 * An answer that comes in pieces, read one batch at a time so that a slow reader slows the upstream down: chunks in the
 * chat-completions format, as JSON text. None of them carries token counts. Where the upstream broke off it fails: an answer without
 * a finish reason is never at its end.
 */
export interface ChunkStream extends Counted, Source<readonly string[]> {
  /** The chunk with the token counts: the upstream's own where it gave these, with `more` beside them. */
  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string;
  /** Ends the answer here, as too long: breaks off the call, and gives the chunks that say so. */
  stop(): readonly string[];
  /** Breaks off the call to the upstream at once. */
  cancel(): void;
}

/**
 * An upstream: a dialect, an address and our credentials there. Both methods throw `GatewayError` for what went wrong there, with
 * the fault where it is the upstream's, and `CallerGone` when the signal ended the call.
 */
export interface Upstream {
  readonly settings: UpstreamSettings;
  /** Asks for the whole answer as one JSON body. */
  complete(call: UpstreamCall): Promise<Completion>;
  /** Asks for a stream. Resolves with the first chunk at hand, so that an early failure is still an HTTP status. */
  stream(call: UpstreamCall): Promise<ChunkStream>;
}
