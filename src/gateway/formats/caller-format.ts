import type { ErrorFormat } from "../../http/endpoint.ts";
import type { JsonBody } from "../../http/read-json.ts";
import type { EventFormat } from "../../http/sse.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import type { Usage } from "../../money/usage.ts";
import type { ModelKind } from "../../models/catalog.ts";
import type { Dialect } from "../../models/upstream-settings.ts";
import type { ParameterMapping } from "../../models/parameters/parameter-policy.ts";
import { ApiError } from "../../requests/api-error.ts";
import { reportedDrops } from "../../requests/map-parameters.ts";
import type { ChatRequest, ConversationRequest } from "../../requests/chat-request.ts";
import type { PremiumDemand, PremiumOffer } from "../../requests/premium-demand.ts";
import type { AnyCall, CallMethod, ChunkStream, Completion, RelayedFormat, RelayedRequest, Upstream } from "../../upstreams/upstream.ts";
import { fieldNameIn, type FieldNames, type ResponseTranslation } from "./translation.ts";

/** A request to a model, in the format of its endpoint. */
export interface ModelRequest extends ConversationRequest {
  readonly format: CallerFormat;
  /** Whether a stream ends with token counts. */
  readonly includeUsage: boolean;
  /** The fields that the gateway obeys and no upstream receives: only chat completions have them. */
  readonly gatewayFields: Readonly<Record<string, unknown>>;
  /** The session that the client names: its prompts share a beginning, which providers cache. Undefined if it names none. */
  readonly session: string | undefined;
  /**
   * The same request in the chat-completions format, for an upstream with this dialect. Throws `unsupported_parameter` for what that
   * format cannot express.
   */
  chatFor(dialect: Dialect): ChatRequest;
  /** Fields that have no counterpart in the chat-completions format, and that a response does without. */
  readonly untranslated?: readonly string[];
  /** Bytes that a translation can add to the prompt, besides the caller's. */
  readonly addedBytes?: number;
  /** What it asks for besides tokens at the usual rates. Undefined for most requests. */
  readonly premium?: PremiumDemand | undefined;
  /** Throws for the first part of the request that is not sold. Undefined for chat completions, which the rules of each route refuse. */
  refuseUnsold?(offer: PremiumOffer): void;
  /** Whether web search at the provider is offered to the model. It is dropped where it is not sold. */
  readonly hostedSearch?: boolean;
  /** An error about the translated request, with the names of the client's own fields. Undefined for chat completions. */
  toOwnTerms?(error: ApiError): ApiError;
  /** Translates responses from the chat-completions format. Undefined for most chat completions. */
  readonly fromChat: ResponseTranslation | undefined;
  /** The request for upstreams that speak the same format. Undefined for chat completions. */
  readonly relayed: RelayedRequest | undefined;
}

/** The end users and conversations that a request names, in order of precedence. Values that are not names are ignored. */
export interface NamedIdentities {
  readonly users: readonly unknown[];
  readonly conversations: readonly unknown[];
}

/** An API format that clients speak: how its requests are read, and its replies written. */
export interface CallerFormat {
  readonly name: "chat" | RelayedFormat;
  /** The path of its endpoint. */
  readonly path: string;
  /** The kind of the models that it calls. */
  readonly kind: ModelKind;
  readonly errors: ErrorFormat;
  readonly fieldNames: FieldNames;
  /** How a stream is written. */
  openEvents(requestId: string): EventFormat;
  /** Whether the output is never shortened to what the credit pays for: agents repeat a request whose response was cut short. */
  readonly isCoveredInFull?: true;
  /** Validates a body. Throws the error that the client receives. */
  read(body: JsonBody, headers: HeaderFields): ModelRequest;
  /** The most output tokens that the request allows, for each choice; undefined if it sets no limit. */
  maxTokensOf(request: ModelRequest): number | undefined;
  /** How many responses the request asks for. Each may have all of its output tokens. */
  choicesOf(request: ModelRequest): number;
  /** The content parts that are not text; undefined if there are none, as in most requests. */
  mediaPartsOf(request: ModelRequest): readonly Record<string, unknown>[] | undefined;
  /** The names in the fields and headers of the format; undefined if there are none. */
  identitiesOf(request: ModelRequest, headers: HeaderFields): NamedIdentities | undefined;
  /** The kind of sub-agent that sends the request. Undefined for other requests, and for formats without agents. */
  agentOf?(headers: HeaderFields): string | undefined;
  /** Whether a JSON response has no content because a content filter ended it. */
  isFiltered(body: string): boolean;
  /** A JSON response with these token counts instead of the upstream's. */
  withUsage(body: string, usage: Usage): string;
}

/** The names of the fields that the upstream does not receive, to report to the client. `premium`: what the hold covers. */
export function droppedFields(
  request: ModelRequest,
  mapping: ParameterMapping,
  isRelayed: boolean,
  premium: PremiumDemand | undefined,
): readonly string[] {
  const { outline, untranslated, hostedSearch, format } = request;
  const dropped = isRelayed || !untranslated ? reportedDrops(mapping, outline) : [...untranslated, ...inOwnNames(mapping.dropped, format)];
  const isSearchDropped = hostedSearch && !(isRelayed && premium?.toolCalls.has("web_search") === true);
  const { droppedParts: parts } = mapping;
  return isSearchDropped || parts ? [...(isSearchDropped ? ["web_search"] : []), ...dropped, ...(parts ?? [])] : dropped;
}

function inOwnNames(names: readonly string[], { fieldNames }: CallerFormat): string[] {
  return names.map((name) => fieldNameIn(fieldNames, name));
}

/** Requests a JSON response in the client's format. */
export function completeFor(request: ModelRequest): CallMethod<Completion> {
  return request.fromChat ? translatedCompletion(request, request.fromChat) : complete;
}

/** Requests a stream in the client's format. */
export function streamFor(request: ModelRequest): CallMethod<ChunkStream> {
  return request.fromChat ? translatedStream(request, request.fromChat) : stream;
}

/** Separate functions: a function that contains a closure costs more even if the closure is not created. */
function translatedCompletion(request: ModelRequest, fromChat: ResponseTranslation): CallMethod<Completion> {
  return async (upstream, call) => {
    if ("relayed" in call) return upstream.complete(call);
    return fromChat.completion(await inOwnTerms(upstream.complete(call), request));
  };
}

function translatedStream(request: ModelRequest, fromChat: ResponseTranslation): CallMethod<ChunkStream> {
  return async (upstream, call) => {
    if ("relayed" in call) return upstream.stream(call);
    return fromChat.stream(await inOwnTerms(upstream.stream(call), request));
  };
}

async function inOwnTerms<T>(response: Promise<T>, request: ModelRequest): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw error instanceof ApiError ? (request.toOwnTerms?.(error) ?? error) : error;
  }
}

function complete(upstream: Upstream, call: AnyCall): Promise<Completion> {
  return upstream.complete(call);
}

function stream(upstream: Upstream, call: AnyCall): Promise<ChunkStream> {
  return upstream.stream(call);
}
