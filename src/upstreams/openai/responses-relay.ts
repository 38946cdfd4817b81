import { parseExact } from "../../lib/json/exact-json.ts";
import { fieldOf, withField } from "../../lib/json/json-text.ts";
import { tryParse } from "../../lib/json/try-parse.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";
import type { ApiError, RelayedError } from "../../requests/api-error.ts";
import { fieldIn } from "../../requests/chat-request.ts";
import {
  billedToolOf,
  hasHostedSearch,
  isHostedSearch,
  isPreviewSearch,
  responseSchema,
  usageFromResponses,
  usageToResponses,
  withoutHostedSearch,
} from "../../requests/responses-api.ts";
import { DEFAULT_TOOL_CALLS } from "../../requests/premium-demand.ts";
import type { EventTranslator, Relay } from "../dialect.ts";
import { relayedBody, requireTypes, typeOfEvent, typesIn } from "../relayed-body.ts";
import { parseAnswer, readError, refusalInside, refusalOf, truncatedResponse, unparsableResponse } from "../refusal.ts";
import { unknownUsageIn } from "../unpriced-usage.ts";
import type { Completion, RelayedCall, RelayedRequest, StreamedCall } from "../upstream.ts";
import { ResponseItems } from "./response-items.ts";

type Json = Readonly<Record<string, unknown>>;

/** The body of a relayed request, with as few changes as possible. The API stores responses by default. */
export function toRelayedResponse(call: RelayedCall): ReturnType<typeof relayedBody> {
  const { relayed, upstreamModel, parameterMapping, maxTokens, premium, withoutReasoning } = call;
  const own: Record<string, unknown> = {
    model: upstreamModel,
    store: false,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  };
  const edited: Record<string, unknown> = {};
  const dropped = [...parameterMapping.dropped];
  const { tools, input, max_tool_calls: maxCalls } = relayed.outline;
  const isDroppedSearch = premium?.toolCalls.has("web_search") ? isPreviewSearch : isHostedSearch;
  // The hold covers no more calls.
  if (maxCalls == null && premium?.toolCalls.size) own["max_tool_calls"] = DEFAULT_TOOL_CALLS;
  const isDropped = withoutReasoning ? isReasoning : isForeignReasoning;
  if (Array.isArray(input) && input.some((item: Json) => isDropped(item) || hasHostedSearch(item["tools"], isDroppedSearch))) {
    const items = (fieldIn(relayed, "input", parseExact) as readonly Json[]).filter((item) => !isDropped(item));
    edited["input"] = items.map((item) => withoutHostedTools(item, isDroppedSearch));
  }
  if (hasHostedSearch(tools, isDroppedSearch)) {
    const offered = withoutHostedSearch(fieldIn(relayed, "tools", parseExact) as readonly Json[], isDroppedSearch);
    if (offered.length > 0) edited["tools"] = offered;
    else dropped.push("tools", "tool_choice");
  }
  return relayedBody(relayed, own, edited, dropped);
}

function withoutHostedTools(item: Json, isDropped: typeof isHostedSearch): Json {
  return hasHostedSearch(item["tools"], isDropped)
    ? { ...item, tools: withoutHostedSearch(item["tools"] as readonly Json[], isDropped) }
    : item;
}

function isReasoning({ type }: Json): boolean {
  return type === "reasoning";
}

/** Whether reasoning was encrypted for another account at the provider. */
function rejectsReasoning(status: number, body: string, { outline: { input } }: RelayedRequest): boolean {
  if (status !== 400 || !body.includes('"invalid_encrypted_content"')) return false;
  return Array.isArray(input) && input.some((item: Json) => isReasoning(item) && !isForeignReasoning(item));
}

/** Reasoning of another provider. Responses are not stored, so the API rejects reasoning without its encrypted content. */
function isForeignReasoning({ type, encrypted_content: encrypted }: Json): boolean {
  return type === "reasoning" && encrypted == null;
}

const MAX_ERROR_CHARS = 8_000;

/** An error of the API that may be passed on as it is. Longer bodies are not, because they quote the request. */
function relayedError(status: number, body: string): RelayedError | undefined {
  if (status >= 500 || body.length > MAX_ERROR_CHARS) return undefined;
  const parsed = tryParse(body);
  const error = isObject(parsed) ? parsed["error"] : undefined;
  return isObject(error) && typeof error["message"] === "string" ? { status, body } : undefined;
}

const REPLY_TYPES = typesIn(responseSchema);

/** Reads a complete response. The client sees the model's public name. */
function readRelayedResponse(text: string, call: RelayedCall): Completion {
  const response = parseResponse(text);
  requireTypes(response, REPLY_TYPES);
  const usage = usageOf(response, call);
  if (!usage) call.report("usage_missing");
  const uncountedBytes = usage && usage.completionTokens > 0 ? 0 : bytesOfOutput(response.output);
  return { body: withField(text, "model", JSON.stringify(call.model)), usage, uncountedBytes };
}

export type ParsedResponse = Json & { readonly output: readonly unknown[] };

/** Parses a response that has not failed. */
export function parseResponse(text: string): ParsedResponse {
  const response = parseAnswer(text, JSON.parse);
  if (!isObject(response)) throw unparsableResponse("not an object");
  const { error, status, output } = response;
  if (error != null || status === "failed") throw failureOf(error);
  if (!Array.isArray(output)) throw unparsableResponse("no output");
  return response as ParsedResponse;
}

/** Bytes that the model has generated. */
export function bytesOfOutput(output: readonly unknown[]): number {
  return output.reduce((sum: number, item) => sum + bytesOfItem(item), 0);
}

/** https://platform.openai.com/docs/api-reference/responses/object */
const KNOWN_USAGE = {
  input_tokens: true,
  input_tokens_details: { cached_tokens: true, cache_write_tokens: true, audio_tokens: true, text_tokens: true, image_tokens: true },
  output_tokens: true,
  output_tokens_details: { reasoning_tokens: true, audio_tokens: true, text_tokens: true },
  total_tokens: true,
  // xAI's own sum.
  cost_in_usd_ticks: true,
} as const;

const KNOWN_TOOL_USAGE = { web_search: { num_requests: true } } as const;

/** The usage of a response. Reports what the gateway does not know of it. */
export function usageOf(response: Json, call: Pick<StreamedCall, "report">): Usage | undefined {
  const { usage, tool_usage: tools } = response;
  const unknown = unknownUsageIn(usage, KNOWN_USAGE) ?? unknownUsageIn(tools, KNOWN_TOOL_USAGE, "tool_usage");
  if (unknown !== undefined) call.report("usage_unpriced", unknown);
  return usageFromResponses(response);
}

/** Codes of failures that the request has caused: at another upstream it would fail, too. */
const BLAMES_REQUEST = /^(?:invalid_|image_|unsupported_image|empty_image|failed_to_download_image|bio_policy|misalignment_policy)/;

const NO_HEADERS = new Headers();

/** The error for a response that has failed. */
export function failureOf(error: unknown): ApiError {
  const read = readError(error);
  return BLAMES_REQUEST.test(read.kind) ? refusalOf(400, NO_HEADERS, read) : refusalInside(read);
}

/** Bytes that the model has generated for an item. */
function bytesOfItem(item: unknown): number {
  if (!isObject(item)) return 0;
  const { content, summary, arguments: args, input, encrypted_content: encrypted } = item;
  const parts = [content, summary].flatMap((list) => (Array.isArray(list) ? list : []));
  const texts = parts.map((part) => (isObject(part) ? (part["text"] ?? part["refusal"]) : undefined));
  return [...texts, args, input, encrypted].reduce(
    (sum: number, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : 0),
    0,
  );
}

/** Events before the first content. An upstream that fails after them has generated nothing. */
const START: ReadonlySet<string> = new Set(["response.created", "response.in_progress", "response.queued"]);

/** The events that end a response. */
const END: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);

/**
 * Passes on the events of a response as they come, with two exceptions. The start is held until there is content: until then the gateway
 * can still fail over. The end is held until the charge is durable.
 */
class RelayedResponseEvents implements EventTranslator {
  readonly #call: StreamedCall;
  #usage: Usage | undefined;
  #uncountedBytes = 0;
  #toolCalls: Map<string, number> | undefined;
  /** Events before the first content. Undefined once they are sent. */
  #start: string[] | undefined = [];
  /** The last event. */
  #end: string | undefined;
  #hasStarted = false;
  /** The response at its start, for an end that the gateway writes. */
  #created: Json | undefined;
  #lastSequence = 0;
  /** Undefined if the gateway will not stop the response: its text is then not kept in memory. */
  readonly #items: ResponseItems | undefined;

  constructor(call: StreamedCall) {
    this.#call = call;
    if (call.mayBeStopped) this.#items = new ResponseItems();
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return this.#uncountedBytes;
  }

  /** The terminal event has the whole output. Until then, its items are counted as they come. */
  get toolCalls(): Readonly<Record<string, number>> | undefined {
    return this.#toolCalls && Object.fromEntries(this.#toolCalls);
  }

  take(data: string, events: string[]): boolean {
    if (data === "" || data === "[DONE]") return false;
    const parsed = parseAnswer(data, JSON.parse);
    if (!isObject(parsed)) throw unparsableResponse("an event that is not an object");
    // JSON over several lines would need several lines of data.
    const event = data.includes("\n") ? JSON.stringify(parsed) : data;
    const { sequence_number: sequence } = parsed;
    const type = typeOfEvent(parsed);
    if (typeof sequence === "number") this.#lastSequence = sequence;
    if (type === "error") throw failureOf(isObject(parsed["error"]) ? parsed["error"] : parsed);
    // The gateway sends its own.
    if (type === "keepalive") return false;
    const { response } = parsed;
    if (isObject(response)) return this.#takeSnapshot(type, event, response, events);
    if (START.has(type) || END.has(type)) throw unparsableResponse(`${type} without a response`);
    if (!this.#hasStarted) throw unparsableResponse("content before response.created");
    this.#takeContent(event, parsed, events);
    return false;
  }

  requireFinished(): void {
    if (this.#end === undefined) throw truncatedResponse("the stream ended without response.completed");
    if (!this.#usage) this.#call.report("usage_missing");
  }

  /** A response without content has nothing but a start and an end. */
  lastChunks(): readonly string[] {
    return this.#takeHeldStart();
  }

  /** The last event, with the counts that are charged if they differ from the upstream's. */
  endEvents(usage: Usage): readonly string[] {
    const end = this.#end!;
    if (usage === this.#usage) return [end];
    const response = withField(fieldOf(end, "response")!, "usage", JSON.stringify(usageToResponses(usage)));
    return [withField(end, "response", response)];
  }

  closingChunks(): string[] {
    const start = this.#takeHeldStart();
    if (this.#end !== undefined) return [...start];
    const closed = (this.#items?.close() ?? []).map((event) => this.#numbered(event));
    const details = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const response = { ...this.#created, model: this.#call.model, output: this.#items?.output ?? [], ...details };
    this.#end = this.#numbered({ type: "response.incomplete", response });
    return [...start, ...closed];
  }

  #numbered({ type, ...fields }: Json): string {
    return JSON.stringify({ type, sequence_number: ++this.#lastSequence, ...fields });
  }

  #takeSnapshot(type: string, event: string, response: Json, events: string[]): boolean {
    if (END.has(type) || type === "response.failed") this.#count(response);
    if (type === "response.failed") throw failureOf(response["error"]);
    const named = withField(event, "response", withField(fieldOf(event, "response")!, "model", JSON.stringify(this.#call.model)));
    if (END.has(type)) {
      this.#end = named;
      return true;
    }
    this.#hasStarted = true;
    // Its instructions and tools are long.
    if (this.#call.mayBeStopped) this.#created ??= response;
    if (START.has(type) && this.#start) this.#start.push(named);
    else events.push(...this.#takeHeldStart(), named);
    return false;
  }

  /** The counts of a response that has failed are charged, too. Counts without the output do not cover the text that was sent. */
  #count(response: Json): void {
    this.#usage = usageOf(response, this.#call);
    if (this.#usage && this.#usage.completionTokens > 0) this.#uncountedBytes = 0;
  }

  /** Unknown events are passed on: the API says that clients must expect new ones. */
  #takeContent(event: string, parsed: Json, events: string[]): void {
    const { delta, item, type } = parsed;
    this.#items?.take(parsed);
    if (typeof delta === "string") this.#uncountedBytes += Buffer.byteLength(delta);
    else if (type === "response.output_item.done" && isObject(item)) this.#takeItem(item);
    events.push(...this.#takeHeldStart(), event);
  }

  #takeItem(item: Json): void {
    const tool = billedToolOf(item);
    if (tool !== undefined) (this.#toolCalls ??= new Map()).set(tool, (this.#toolCalls.get(tool) ?? 0) + 1);
    // Encrypted reasoning has no deltas.
    this.#uncountedBytes += bytesOfItem({ ...item, ...SENT_AS_DELTAS });
  }

  #takeHeldStart(): readonly string[] {
    const start = this.#start ?? [];
    this.#start = undefined;
    return start;
  }
}

const SENT_AS_DELTAS = { content: undefined, summary: undefined, arguments: undefined, input: undefined };

/** How responses in the Responses format are passed on. */
export const responsesRelay: Pick<Relay, "readCompletion" | "readEvents" | "errorIn" | "rejectsReasoning"> = {
  readCompletion: readRelayedResponse,
  readEvents: (call) => new RelayedResponseEvents(call),
  errorIn: relayedError,
  rejectsReasoning,
};
