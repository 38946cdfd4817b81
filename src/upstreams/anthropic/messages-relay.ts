import { fieldOf, withField } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { fieldIn } from "../../requests/chat-request.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { tryParse } from "../../lib/json/try-parse.ts";
import type { RelayedError } from "../../requests/api-error.ts";
import type { Usage } from "../../money/usage.ts";
import { DEFAULT_TOOL_CALLS, hasLimitableResults, isLimitable, RESULT_TOKENS } from "../../requests/premium-demand.ts";
import { FOREIGN_SIGNATURE, messageReplySchema, usageToMessages } from "../../requests/messages-api.ts";
import type { EventTranslator, Relay, WireRequest } from "../dialect.ts";
import { relayedBody, requireTypes, typeOfEvent, typesIn } from "../relayed-body.ts";
import { parseAnswer, truncatedResponse, unparsableResponse } from "../refusal.ts";
import type { Completion, RelayedCall, RelayedRequest, StreamedCall } from "../upstream.ts";
import { errorInside } from "./anthropic-error.ts";
import { MIN_BUDGET } from "../claude/claude-thinking.ts";
import { parseEvent } from "./anthropic-events.ts";
import { isThinkingMissing } from "./anthropic-request.ts";
import type { Turn } from "./anthropic-turns.ts";
import { AnthropicUsage } from "./anthropic-usage.ts";

type Json = Readonly<Record<string, unknown>>;

/** The body of a relayed request, with as few changes as possible. */
export function toRelayedMessages(call: RelayedCall): WireRequest["body"] {
  const { relayed, upstreamModel, parameterMapping, maxTokens } = call;
  const own = { model: upstreamModel, ...(maxTokens !== undefined && { max_tokens: maxTokens }) };
  return relayedBody(relayed, own, messagesChanges(call), parameterMapping.dropped);
}

/** The fields that change at every platform: reasoning of others, a thinking budget beyond the output limit, and unlimited tools. */
export function messagesChanges({ relayed, maxTokens, premium, withoutReasoning }: RelayedCall): Json {
  const changes: Record<string, unknown> = {};
  if (withoutReasoning) Object.assign(changes, withoutBlocks(relayed, isThinking));
  else if (relayed.outlineText.includes(FOREIGN_SIGNATURE)) Object.assign(changes, withoutBlocks(relayed, isForeignThinking));
  const thinking = thinkingFor(relayed.outline, (changes["messages"] ?? relayed.outline["messages"]) as readonly Json[], maxTokens);
  if (thinking !== undefined) Object.assign(changes, { thinking, ...withoutThinkingEdits(thinking, relayed.outline) });
  const tools = premium?.toolCalls.size ? fieldIn(relayed, "tools", parseExact) : undefined;
  if (tools != null) changes["tools"] = withLimits(tools as readonly Json[]);
  return changes;
}

/** The hold covers no more calls. */
function withLimits(tools: readonly Json[]): readonly Json[] {
  return tools.map((tool) => {
    const { type, max_uses: maxUses, max_content_tokens: resultTokens } = tool;
    return {
      ...tool,
      ...(isLimitable(type) && maxUses == null && { max_uses: DEFAULT_TOOL_CALLS }),
      ...(hasLimitableResults(type) && resultTokens == null && { max_content_tokens: RESULT_TOKENS }),
    };
  });
}

function isThinking({ type }: Json): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Thinking of other providers, whose signatures the API would reject. */
function isForeignThinking({ type, signature }: Json): boolean {
  return type === "thinking" && signature === FOREIGN_SIGNATURE;
}

/** The API's words for thinking whose signature is not its own. */
const SIGNATURE_REJECTED = /Invalid `(?:signature|data)` in `(?:redacted_)?thinking` block/;

/** Whether the signature of thinking was rejected: the account may have changed since. */
function rejectsReasoning(status: number, body: string, { outline }: RelayedRequest): boolean {
  if (status !== 400 || !SIGNATURE_REJECTED.test(body)) return false;
  return (outline["messages"] as readonly Json[]).some(({ content }) => Array.isArray(content) && content.some(isThinking));
}

/** The messages without some of their blocks. Undefined if they have none of these. */
function withoutBlocks(relayed: RelayedRequest, isDropped: (block: Json) => boolean): { readonly messages: readonly Json[] } | undefined {
  const messages = fieldIn(relayed, "messages", parseExact) as readonly Json[];
  const own = messages.map((message) => ({ ...message, content: without(message["content"], isDropped) }));
  if (own.every(({ content }, at) => content === messages[at]!["content"])) return undefined;
  return { messages: own.filter(({ content }) => !Array.isArray(content) || content.length > 0) };
}

/** The same array if there is nothing to drop. */
function without(content: unknown, isDropped: (block: Json) => boolean): unknown {
  if (!Array.isArray(content)) return content;
  const own = content.filter((block: Json) => !isDropped(block));
  return own.length === content.length ? content : own;
}

/**
 * The `thinking` to send instead of the request's; undefined if that can be sent. With a budget, the API rejects a turn of tool calls
 * whose thinking is missing, because another provider has begun it.
 */
function thinkingFor({ thinking }: Json, messages: readonly Json[], maxTokens: number | undefined): Json | undefined {
  if (!isObject(thinking) || thinking["type"] !== "enabled") return undefined;
  if (isThinkingMissing(turnsOf(messages))) return { type: "disabled" };
  if (maxTokens === undefined || Number(thinking["budget_tokens"]) < maxTokens) return undefined;
  return maxTokens > MIN_BUDGET ? { ...thinking, budget_tokens: maxTokens - 1 } : { type: "disabled" };
}

/** The turns of a conversation. Content that is plain text has no blocks. */
function turnsOf(messages: readonly Json[]): Turn[] {
  const turns = messages.filter(({ role }) => role !== "system");
  return turns.map(({ role, content }) => ({
    role: role as Turn["role"],
    content: Array.isArray(content) ? (content as Turn["content"]) : [],
  }));
}

/** Edits of the context that require thinking to be on. */
function withoutThinkingEdits(thinking: Json, { context_management: management }: Json): Json {
  if (thinking["type"] !== "disabled" || !isObject(management) || !Array.isArray(management["edits"])) return {};
  const edits = management["edits"].filter((edit: Json) => !String(edit["type"]).startsWith("clear_thinking"));
  return { context_management: { ...management, edits } };
}

/** An error of the API that may be passed on as it is. Longer bodies are not, because they quote the request. */
export function relayedError(status: number, body: string): RelayedError | undefined {
  if (status >= 500 || body.length > MAX_ERROR_CHARS) return undefined;
  const parsed = tryParse(body);
  const error = isObject(parsed) && parsed["type"] === "error" ? parsed["error"] : undefined;
  const isOwnForm = isObject(error) && typeof error["type"] === "string" && typeof error["message"] === "string";
  return isOwnForm ? { status, body } : undefined;
}

export const MAX_ERROR_CHARS = 8_000;

const REPLY_TYPES = typesIn(messageReplySchema);

/** Reads a complete message. The client sees the model's public name. */
export function readRelayedMessage(text: string, call: RelayedCall): Completion {
  const message = parseAnswer(text, JSON.parse);
  if (!isObject(message)) throw unparsableResponse("not an object");
  if (message["type"] === "error") throw errorInside(message["error"]);
  requireTypes(message, REPLY_TYPES);
  const { content } = message;
  if (!Array.isArray(content)) throw unparsableResponse("no content");
  const counts = new AnthropicUsage(call.report);
  for (const block of content) if (isObject(block)) counts.noteBlock(block);
  if (!counts.take(message["usage"])) call.report("usage_missing");
  const { usage } = counts;
  return {
    body: withField(text, "model", JSON.stringify(call.model)),
    usage,
    uncountedBytes: usage ? 0 : content.reduce((sum: number, block) => sum + bytesOf(block), 0),
  };
}

/** Bytes of the text in a block or a delta. */
function bytesOf(part: unknown): number {
  if (!isObject(part)) return 0;
  const { text, thinking, partial_json: json, input, signature, data } = part;
  const strings = [text, thinking, json, input === undefined ? undefined : JSON.stringify(input), signature, data];
  return strings.reduce((sum: number, each) => sum + (typeof each === "string" ? Buffer.byteLength(each) : 0), 0);
}

/** Ends a stream in the words of the API. */
const MESSAGE_STOP = '{"type":"message_stop"}';

/**
 * Passes on the events of a Messages stream as they come, with two exceptions. The start is held until there is content: an overloaded
 * server opens its stream and then fails, and until then the gateway can still fail over. The end is held until the charge is durable.
 */
export class RelayedMessageEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #counts: AnthropicUsage;
  /** Events before the first content. Undefined once they are sent. */
  #start: string[] | undefined = [];
  /** From the `message_delta` with the stop reason on. */
  #end: string[] = [];
  /** The indexes of open blocks, and whether each is thinking without its signature. */
  readonly #open = new Map<unknown, boolean>();
  #hasStarted = false;
  #stopReason: unknown;
  #hasStopped = false;
  /** Whether the gateway has stopped the response. */
  #isStopped = false;
  #uncountedBytes = 0;
  /** `message_start` counts the prompt, and a few tokens of output at most. */
  #isOutputCounted = false;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#counts = new AnthropicUsage(call.report);
  }

  get usage(): Usage | undefined {
    return this.#counts.usage;
  }

  get uncountedBytes(): number {
    return this.#uncountedBytes;
  }

  get isOutputUncounted(): boolean {
    return !this.#isOutputCounted;
  }

  take(data: string, events: string[]): boolean {
    if (data === "") return false;
    const parsed = parseEvent(data);
    // JSON over several lines would need several lines of data.
    const event = data.includes("\n") ? JSON.stringify(parsed) : data;
    switch (typeOfEvent(parsed)) {
      case "message_start":
        this.#takeStart(event, parsed);
        return false;
      case "message_delta":
        this.#takeDelta(event, parsed, events);
        return false;
      case "message_stop":
        this.#hasStopped = true;
        this.#end.push(event);
        return true;
      case "error":
        throw errorInside(parsed["error"]);
      case "ping":
        (this.#start ?? events).push(event);
        return false;
      default:
        this.#takeContent(event, parsed, events);
        return false;
    }
  }

  /** A stop reason is sufficient: `message_stop` adds no information. */
  requireFinished(): void {
    if (typeof this.#stopReason !== "string") {
      throw truncatedResponse(this.#hasStarted ? "the stream ended without a stop reason" : "the stream ended before its first event");
    }
    if (this.#uncountedBytes > 0) this.#call.report("usage_missing");
    if (!this.#hasStopped) this.#end.push(MESSAGE_STOP);
  }

  /** A response without content has nothing but a start and an end. */
  lastChunks(): readonly string[] {
    return this.#takeHeldStart();
  }

  /** The events that were held, with the counts that are charged if they differ from the upstream's. */
  endEvents(usage: Usage): readonly string[] {
    return usage === this.usage && !this.#isStopped ? this.#end : this.#end.map((event) => withUsage(event, usage));
  }

  closingChunks(): string[] {
    const closed = [...this.#open].flatMap(([index, isUnsigned]) => closingEvents(index, isUnsigned));
    this.#open.clear();
    this.#isStopped = true;
    if (this.#stopReason == null) {
      this.#end.push(JSON.stringify({ type: "message_delta", delta: { stop_reason: "max_tokens", stop_sequence: null }, usage: {} }));
    }
    if (!this.#hasStopped) this.#end.push(MESSAGE_STOP);
    return [...this.#takeHeldStart(), ...closed];
  }

  #takeStart(event: string, { message }: Json): void {
    if (!isObject(message)) throw unparsableResponse("a message_start without a message");
    if (this.#hasStarted) return this.#call.report("event_unexpected");
    this.#hasStarted = true;
    this.#counts.take(message["usage"]);
    const named = withField(fieldOf(event, "message")!, "model", JSON.stringify(this.#call.model));
    this.#start!.push(withField(event, "message", named));
  }

  #takeDelta(event: string, { delta, usage }: Json, events: string[]): void {
    if (this.#counts.take(usage)) {
      this.#uncountedBytes = 0;
      this.#isOutputCounted = true;
    }
    this.#stopReason = (isObject(delta) ? delta["stop_reason"] : undefined) ?? this.#stopReason;
    if (this.#stopReason == null) events.push(...this.#takeHeldStart(), event);
    else this.#end.push(event);
  }

  /** Unknown events are passed on: the API says that clients must expect new ones. */
  #takeContent(event: string, { type, index, delta, content_block: block }: Json, events: string[]): void {
    if (!this.#hasStarted) throw unparsableResponse("content before message_start");
    if (isObject(block)) this.#counts.noteBlock(block);
    if (type === "content_block_start") this.#open.set(index, isObject(block) && block["type"] === "thinking");
    else if (type === "content_block_stop") this.#open.delete(index);
    else if (isObject(delta) && delta["type"] === "signature_delta") this.#open.set(index, false);
    this.#uncountedBytes += bytesOf(delta) + bytesOf(block);
    events.push(...this.#takeHeldStart(), event);
  }

  #takeHeldStart(): readonly string[] {
    const start = this.#start ?? [];
    this.#start = undefined;
    return start;
  }
}

/** Thinking that was cut short has no signature of the API, which would reject it in the next request. */
function closingEvents(index: unknown, isUnsigned: boolean): string[] {
  const delta = { type: "signature_delta", signature: FOREIGN_SIGNATURE };
  const signed = isUnsigned ? [JSON.stringify({ type: "content_block_delta", index, delta })] : [];
  return [...signed, JSON.stringify({ type: "content_block_stop", index })];
}

function withUsage(event: string, usage: Usage): string {
  if (parseEvent(event)["type"] !== "message_delta") return event;
  return withField(event, "usage", JSON.stringify(usageToMessages(usage)));
}

/** How responses in the Messages format are passed on. */
export const messagesRelay: Pick<Relay, "readCompletion" | "readEvents" | "errorIn" | "rejectsReasoning"> = {
  readCompletion: readRelayedMessage,
  readEvents: (call) => new RelayedMessageEvents(call),
  errorIn: relayedError,
  rejectsReasoning,
};
