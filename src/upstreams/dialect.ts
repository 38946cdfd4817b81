import type { ByteText } from "../lib/text/byte-text.ts";
import type { GatewayError } from "../requests/gateway-error.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Counted, Usage } from "../money/usage.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { Completion, StreamedCall, UpstreamCall } from "./upstream.ts";

/** A request as it goes over the wire. */
export interface WireRequest {
  /** Below the base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, in any pieces. */
  readonly body: readonly ByteText[];
}

/** A wire format: how a request is written in it, and how its answers are read. */
export interface Dialect {
  /** The request for a completion. Throws `unsupported_parameter` for what it cannot say. */
  request(call: UpstreamCall, settings: RemoteSettings): WireRequest;
  /** A whole answer, in the chat-completions format. */
  readCompletion(text: string, call: UpstreamCall): Completion;
  /** Reads the events of one stream. */
  readEvents(call: StreamedCall): EventTranslator;
  /** Our error for a refusal. */
  refusal(status: number, headers: HeadersRead, body: string): GatewayError;
  /** How an upstream is asked for its models, which costs nothing. */
  modelsRequest(settings: RemoteSettings, credential: Secret | undefined): Omit<WireRequest, "body">;
  /** The models in its answer. Throws where it is not a list of models. */
  modelsIn(text: string): ListedModel[];
}

/** The dialects that are spoken over HTTP. */
export type Dialects = Readonly<Record<RemoteSettings["dialect"], Dialect>>;

/** A model as an upstream lists it. */
export interface ListedModel {
  /** The upstream's name for it. */
  readonly id: string;
  readonly ownedBy: string | undefined;
  readonly createdSeconds: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** Turns the events of one stream into chunks, one at a time, and keeps count. */
export interface EventTranslator extends Counted {
  /** Adds the chunks that an event comes to. Whether the answer has ended with it. */
  take(event: string, chunks: string[]): boolean;
  /** Throws where the answer was cut: one that just stops must not be taken for a whole one. */
  requireFinished(): void;
  /** What was held back until the end of the body, for formats in which nothing else marks the end. */
  lastChunks?(): readonly string[];
  /** The chunk with the token counts, with `more` beside them. */
  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string;
  /** Chunks that end every choice which the upstream has not ended. */
  closingChunks(finishReason: string): string[];
}
