import type { ByteText } from "../lib/text/byte-text.ts";
import type { ApiError, RelayedError } from "../requests/api-error.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { ReceivedUsage, Usage } from "../money/usage.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { Completion, RelayedCall, RelayedFormat, RelayedRequest, RelayTerms, StreamedCall, UpstreamCall } from "./upstream.ts";

/** A request to an upstream. */
export interface WireRequest {
  /** Relative to the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, in one or more pieces. */
  readonly body: readonly ByteText[];
}

/** An API format: writes requests in it, and reads its responses. */
export interface Dialect {
  /** The request for a completion. Throws `unsupported_parameter` for parameters that the format cannot express. */
  request(call: UpstreamCall, settings: RemoteSettings): WireRequest;
  /** Converts a JSON response to the chat-completions format. */
  readCompletion(text: string, call: UpstreamCall): Completion;
  /** Reads the events of one stream. */
  readEvents(call: StreamedCall): EventTranslator;
  /** Splits one stream into its events. Undefined for server-sent events. */
  openReader?(): StreamReader;
  /** The formats of clients that need no translation. */
  readonly relays?: Readonly<Partial<Record<RelayedFormat, Relay>>>;
  /** The gateway's error for an error response. */
  refusal(status: number, headers: HeadersRead, body: string): ApiError;
  /** The request for a page of the list of models, which is free of charge. `page` is undefined for the first page. */
  modelsRequest(settings: RemoteSettings, credential: Secret | undefined, page?: string): ModelsRequest;
  /** Reads a page of the list of models. Throws for any other response. */
  modelsIn(text: string): ListedModel[];
  /** The name of the page that follows this one. Undefined after the last page, and for lists in one page. */
  nextPage?(text: string, page: string | undefined): string | undefined;
  /** For servers without a list of models, which are tested with this request instead. */
  readonly countRequest?: CountRequest;
}

/** How a dialect passes on the requests of clients that speak its format, and the responses to them. */
export interface Relay {
  /** Whether a model is served in this format. Undefined if every model is. */
  takes?(settings: RemoteSettings, upstreamModel: string): boolean;
  /** What a model takes of a request; undefined for all of it. Throws for what it could not do without. */
  terms?(relayed: RelayedRequest, upstreamModel: string, settings: RemoteSettings): RelayTerms | undefined;
  /** The client's request with as few changes as possible. */
  request(call: RelayedCall, settings: RemoteSettings): WireRequest;
  /** Reads the token counts of a JSON response, and names the model as the client does. */
  readCompletion(text: string, call: RelayedCall, headers: HeadersRead): Completion;
  /** Passes on the events of one stream. */
  readEvents(call: StreamedCall): EventTranslator;
  /** Splits one stream into its events. Undefined for server-sent events. */
  openReader?(): StreamReader;
  /** Whether an error response rejects reasoning that the request has, and the API takes the request without it. */
  rejectsReasoning(status: number, body: string, relayed: RelayedRequest): boolean;
  /** The most inputs of one request for embeddings. Larger batches are sent in parts. Undefined if there is no limit. */
  maxInputs?(settings: RemoteSettings, upstreamModel: string): number | undefined;
  /** The most bytes of the texts of one request for embeddings with several inputs. Undefined if there is no limit. */
  maxInputBytes?(settings: RemoteSettings, upstreamModel: string): number | undefined;
  /** Whether the API counts the tokens of a prompt, free of charge. */
  readonly countsTokens?: true;
  /** The reply to an error response that blames the request, if the client can read it as it is. */
  errorIn(status: number, body: string): RelayedError | undefined;
}

/** A request that counts the tokens of a short prompt, which is free of charge. */
export type CountRequest = (credential: Secret | undefined, upstreamModel: string) => WireRequest;

/** A request that lists models. */
export interface ModelsRequest extends Omit<WireRequest, "body"> {
  /** Replaces the upstream's base URL if the list is at another host. */
  readonly baseUrl?: string | undefined;
}

/** Splits the bytes of one stream into its events, however the network split the stream. */
export interface StreamReader {
  /** The buffered part of an incomplete event. */
  readonly heldChars: number;
  /** The events that these bytes complete. Those before a defect are returned before it is thrown. */
  feed(bytes: Uint8Array): Iterable<string>;
  /** The last event, if the end of the body completes it. */
  end(): Iterable<string>;
}

/** The dialects used over HTTP. */
export type Dialects = Readonly<Record<RemoteSettings["dialect"], Dialect>>;

/** A model as an upstream lists it. */
export interface ListedModel {
  /** The upstream's name for the model. */
  readonly id: string;
  readonly ownedBy: string | undefined;
  readonly createdSeconds: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** Converts the events of one stream to chunks, and counts tokens. */
export interface EventTranslator extends ReceivedUsage {
  /** Appends the chunks for an event. Returns whether the response is complete. */
  take(event: string, chunks: string[]): boolean;
  /** Throws if the stream was cut short: a truncated response must not look complete. */
  requireFinished(): void;
  /** Chunks held back until the body ends, for formats without an end marker. */
  lastChunks?(): readonly string[];
  /** What ends the response: the chunk with the token counts, extended by `more`. */
  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[];
  /** Chunks that finish every open choice. */
  closingChunks(finishReason: string): string[];
}
