import type { ChatRequest, RequestBody } from "../requests/chat-request.ts";
import type { PremiumDemand } from "../requests/premium-demand.ts";
import type { ClientIdentities } from "../requests/client-identities.ts";
import type { Deviation } from "../models/deviation.ts";
import type { ParameterMapping, ParameterRules } from "../models/parameters/parameter-policy.ts";
import type { SecretHeaders } from "../models/headers/secret-headers.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { Source } from "../lib/async/source.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import type { Timeouts } from "../models/timeouts.ts";
import type { ReceivedUsage, Usage } from "../money/usage.ts";
import type { CollectedEmbeddings } from "../requests/embeddings-api.ts";
import type { Authorizer } from "./authorizer.ts";
import type { SentCredentials } from "./sent-credentials.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** One call of one model at one upstream, in either form. */
interface CallOptions {
  /** The id of the model that serves the request, which replies carry: the requested one, or one of its fallbacks. */
  readonly model: string;
  /** The upstream's own name for the model. */
  readonly upstreamModel: string;
  /** The credential to send, if the upstream requires one. */
  readonly credential: Secret | undefined;
  /** Headers of the route. */
  readonly headers?: SecretHeaders | undefined;
  /** Collects the credentials that were sent, for redaction of the response. */
  readonly sent?: SentCredentials;
  readonly timeouts: Timeouts;
  /** Aborted when the client disconnects, or its deadline passes. */
  readonly signal: CancelSignal;
  /** The names of the end user and the conversation, which errors for operators must not repeat. */
  readonly identities?: ClientIdentities | undefined;
  /** Trace context headers, if tracing is on. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
  /** Receives each format deviation of the response. `name`: the field, if operators must know it. */
  readonly report: (deviation: Deviation, name?: string) => void;
  /** Whether the gateway may stop the response before its end, at the cost that the client has set. */
  readonly mayBeStopped?: boolean;
}

/** A call with a request in the chat-completions format, which the dialect writes in its own format. */
export interface UpstreamCall extends CallOptions {
  readonly chat: ChatRequest;
  /** Parameters that are dropped or renamed. */
  readonly parameterMapping: ParameterMapping;
  /** The max tokens of each choice, if they differ from the request's and must be sent to the upstream. */
  readonly maxTokens: number | undefined;
  /** The cost bound's output tokens for each choice: for dialects whose API requires a limit. */
  readonly maxOutputTokens: number;
  /** What the hold covers besides tokens at the usual rates. */
  readonly premium?: PremiumDemand | undefined;
}

/** A call that passes on the client's body, because client and upstream speak the same format. The response is in that format, too. */
export interface RelayedCall extends CallOptions {
  readonly relayed: RelayedRequest;
  /** The headers of the format that the upstream receives. */
  readonly formatHeaders: Readonly<Record<string, string>>;
  /** Fields that the operator drops. */
  readonly parameterMapping: ParameterMapping;
  /** The output limit, if it is lower than the request's. */
  readonly maxTokens: number | undefined;
  /** What the hold covers besides tokens at the usual rates. */
  readonly premium: PremiumDemand | undefined;
  /** Receives the headers of a response, before its body. */
  readonly receiveHeaders?: (headers: HeadersRead) => void;
  /** Set if the reasoning of earlier turns is not sent, because the upstream has rejected it. */
  readonly withoutReasoning?: true;
  /** Set if only the tokens of the prompt are counted. */
  readonly isCount?: true;
}

export type { HeadersRead };

export type AnyCall = UpstreamCall | RelayedCall;

/** One of the two methods of an upstream that call it. */
export type CallMethod<T> = (upstream: Upstream, call: AnyCall) => Promise<T>;

/** The formats other than chat completions in which clients and upstreams exchange requests and responses. */
export type RelayedFormat = "messages" | "responses" | "embeddings";

/** A request in a format other than chat completions. */
export interface RelayedRequest extends RequestBody {
  readonly relayedAs: RelayedFormat;
  /** The headers of the format, as the client sent them. */
  readonly formatHeaders: Readonly<Record<string, string>>;
  /** The embeddings so far, if the batch is sent in parts. */
  collected?: CollectedEmbeddings | undefined;
}

/** What a model takes of a request that is passed on as the client sent it. */
export interface RelayTerms {
  readonly rules: ParameterRules;
  /** Parts of fields, and betas, that it does not take. */
  readonly droppedParts: readonly string[];
}

/** The part of a call that reading a stream needs. A stream that held the whole call would keep its prompt in memory. */
export type StreamedCall = Pick<UpstreamCall, "model" | "upstreamModel" | "credential" | "report" | "mayBeStopped">;

/** A complete JSON response. */
export interface Completion extends ReceivedUsage {
  /** The reply body in the chat-completions format, or in the format of a relayed call, as JSON text. */
  readonly body: string;
}

/**
 * A streamed response, read one batch at a time, so that back-pressure of a slow client reaches the upstream: chunks in the
 * chat-completions format, without token counts, or events in the format of a relayed call, as JSON text. It fails if the upstream closed
 * early: a response without a finish reason is never complete.
 */
export interface ChunkStream extends ReceivedUsage, Source<readonly string[]> {
  /**
   * What ends the response: the chunk with the token counts, the upstream's own if it sent one, extended by `more`. It may be called more
   * than once: for the client, for a replay, and for the response cache.
   */
  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[];
  /** Truncates the response: cancels the call, and returns closing chunks with the finish reason `length`. */
  stop(): readonly string[];
  /** Cancels the call to the upstream. */
  cancel(): void;
}

/**
 * An upstream: a dialect, a base URL and credentials. Both methods throw `ApiError` for a failed call, with a fault if the
 * upstream caused it, and `CallerGone` when the signal cancelled the call.
 */
export interface Upstream {
  readonly settings: UpstreamSettings;
  /** The authorizer of the upstream's identity; undefined if it has none. */
  readonly authorizer?: Authorizer | undefined;
  /** Whether a model takes requests in this format as clients send them. Undefined if none does. */
  relays?(format: RelayedFormat, upstreamModel: string): boolean;
  /** What a model takes of such a request. Throws for what it could not do without. */
  relayTerms?(relayed: RelayedRequest, upstreamModel: string): RelayTerms;
  /** Whether the upstream's API counts the tokens of prompts in this format. Undefined if it counts none. */
  countsTokens?(format: RelayedFormat): boolean;
  /** Counts the tokens of the prompt of a call with `isCount`, free of charge. */
  countTokens?(call: RelayedCall): Promise<number>;
  /** Requests a JSON response. */
  complete(call: AnyCall): Promise<Completion>;
  /** Requests a stream. Resolves once the first chunk has arrived, so that an earlier failure can still become an HTTP status. */
  stream(call: AnyCall): Promise<ChunkStream>;
}
