import { isObject } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { Usage } from "../../money/usage.ts";
import type { EventTranslator } from "../dialect.ts";
import { parseAnswer, truncatedResponse, unparsableResponse } from "../refusal.ts";
import { ChunkWriter, type ExtraContent, type ToolCallHead } from "../streams/chunk-writer.ts";
import { newResponseId, toolIdOf, writeCompletion } from "../streams/write-completion.ts";
import type { Completion, StreamedCall, UpstreamCall } from "../upstream.ts";
import { bytesOfOutput, failureOf, parseResponse, usageOf } from "./responses-relay.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reasoning that only the provider can read, as it goes back with the results of the calls that it has led to. */
interface Reasoning extends Json {
  readonly type: "reasoning";
  readonly summary: readonly unknown[];
  readonly encrypted_content: string;
}

/** The reasoning of an item, without its ID: nothing is stored under it. Undefined if it is not encrypted. */
function toReasoning(item: unknown): Reasoning | undefined {
  const { summary, encrypted_content: encrypted } = isObject(item) ? item : {};
  if (typeof encrypted !== "string" || encrypted === "") return undefined;
  return { type: "reasoning", summary: Array.isArray(summary) ? summary : [], encrypted_content: encrypted };
}

/**
 * The `extra_content` of a tool call: the reasoning before it, and which credential can decrypt it. The API rejects a request with the
 * reasoning of another account, as after a failover. Undefined without a static credential, because nothing then tells accounts apart.
 */
function reasoningContent(items: readonly Reasoning[], credential: Secret | undefined): ExtraContent | undefined {
  return items.length > 0 && credential ? { openai: { reasoning: items, encrypted_for: checksumOf(credential) } } : undefined;
}

/** The reasoning in a call's `extra_content` that this credential can decrypt. */
export function reasoningIn(extra: unknown, credential: Secret | undefined): Reasoning[] {
  const { reasoning, encrypted_for: checksum } = isObject(extra) && isObject(extra["openai"]) ? extra["openai"] : {};
  if (!Array.isArray(reasoning) || !credential || checksum !== checksumOf(credential)) return [];
  return reasoning.flatMap((item) => toReasoning(item) ?? []);
}

/** Sixteen bits tell credentials apart, and are too few to guess one. */
function checksumOf(credential: Secret): string {
  return new Bun.CryptoHasher("sha256").update(credential.reveal()).digest("hex").slice(0, 4);
}

type Report = (deviation: Deviation) => void;

type TextKind = "text" | "refusal" | "reasoning";

/** Part of a response, in the terms of the chat-completions format. */
type Piece =
  | { readonly kind: TextKind; readonly text: string }
  | { readonly kind: "call"; readonly head: ToolCallHead; readonly args: string };

/** Bounds the memory of one stream. No model produces this much reasoning for a call. */
const MAX_REASONING_CHARS = 8 * 1024 * 1024;

/** Translates the items of one response. */
class ItemReader {
  readonly #credential: Secret | undefined;
  readonly #report: Report;
  /** Where the last text of each kind was. */
  readonly #places = new Map<TextKind, string>();
  /** Reasoning for the next call. */
  #reasoning: Reasoning[] = [];
  #reasoningChars = 0;

  constructor(credential: Secret | undefined, report: Report) {
    this.#credential = credential;
    this.#report = report;
  }

  /** The pieces of a complete item. `at`: its position in the output. */
  take(item: unknown, at: unknown): Piece[] {
    if (!isObject(item)) throw unparsableResponse("an item that is not an object");
    switch (item["type"]) {
      case "message":
        return partsIn(item["content"]).flatMap((part, place) => this.#takePart(part, at, place));
      case "reasoning": {
        const texts = [...partsIn(item["summary"]), ...partsIn(item["content"])];
        this.keep(item);
        return texts.flatMap(({ text }, place) => this.text("reasoning", text, at, place));
      }
      case "function_call":
        return [{ kind: "call", head: this.headOf(item), args: argumentsOf(item) }];
      default:
        this.#report("event_unexpected");
        return [];
    }
  }

  /** A text. Texts at different places are paragraphs. */
  text(kind: TextKind, text: unknown, at: unknown, place: unknown): Piece[] {
    if (typeof text !== "string" || text === "") return [];
    const before = this.#places.get(kind);
    const now = `${String(at)}.${String(place)}`;
    this.#places.set(kind, now);
    return [{ kind, text: before === undefined || before === now ? text : `\n\n${text}` }];
  }

  /** Keeps the encrypted reasoning of an item for the call after it. */
  keep(item: Json): void {
    const reasoning = toReasoning(item);
    if (!reasoning) return;
    this.#reasoningChars += reasoning.encrypted_content.length;
    if (this.#reasoningChars > MAX_REASONING_CHARS) throw unparsableResponse("reasoning without an end");
    this.#reasoning.push(reasoning);
  }

  headOf({ call_id: id, name }: Json): ToolCallHead {
    const extraContent = reasoningContent(this.#reasoning, this.#credential);
    this.#reasoning = [];
    return { id: toolIdOf(id, "call", { report: this.#report }), name: textOf(name), extraContent };
  }

  #takePart({ type, text, refusal }: Json, at: unknown, place: number): Piece[] {
    if (type === "output_text") return this.text("text", text, at, place);
    if (type === "refusal") return this.text("refusal", refusal, at, place);
    this.#report("event_unexpected");
    return [];
  }
}

function partsIn(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Every client parses the arguments. */
function argumentsOf(item: Json): string {
  return textOf(item["arguments"]) || "{}";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The finish reason of a response that has ended. An unknown reason means that the model did not choose to stop. */
function finishReasonOf({ incomplete_details: details }: Json, isComplete: boolean, hasToolCalls: boolean, report: Report): string {
  if (isComplete) return hasToolCalls ? "tool_calls" : "stop";
  const reason = isObject(details) ? details["reason"] : undefined;
  if (reason === "content_filter") return "content_filter";
  if (reason !== "max_output_tokens") report("finish_reason_unknown");
  return "length";
}

function idOf({ id }: Json): string {
  return typeof id === "string" && id !== "" ? id : newResponseId();
}

/** Translates a complete response into a chat completion. */
export function toChatCompletion(body: string, call: UpstreamCall): Completion {
  const response = parseResponse(body);
  const { output, status } = response;
  if (status != null && status !== "completed" && status !== "incomplete") throw truncatedResponse("the response has not ended");
  const report = call.report.bind(call);
  const reader = new ItemReader(call.credential, report);
  const pieces = output.flatMap((item, at) => reader.take(item, at));
  const toolCalls = pieces.flatMap((piece) => (piece.kind === "call" ? { ...piece.head, arguments: piece.args } : []));
  const [text, refusal] = [joined(pieces, "text"), joined(pieces, "refusal")];
  const usage = usageOf(response, call);
  if (!usage) report("usage_missing");
  const completion = writeCompletion({
    id: idOf(response),
    model: call.model,
    text: text === "" && (toolCalls.length > 0 || refusal !== "") ? null : text,
    ...(refusal !== "" && { refusal }),
    reasoning: joined(pieces, "reasoning"),
    toolCalls,
    finishReason: finishReasonOf(response, status !== "incomplete", toolCalls.length > 0, report),
    usage,
  });
  return { ...completion, uncountedBytes: usage && usage.completionTokens > 0 ? 0 : bytesOfOutput(output) };
}

function joined(pieces: readonly Piece[], kind: TextKind): string {
  return pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
}

/** Bounds memory. A response has one item open at a time. */
const MAX_OPEN_ITEMS = 1_000;

/** An item that has begun. */
interface OpenItem {
  /** The index of its tool call; undefined for other items. */
  readonly call: number | undefined;
  /** Whether deltas have had its content. */
  hasContent: boolean;
  /** The arguments of its call so far. */
  args: string;
}

/** The events with a piece of text: what it is, and the field with its place in the item. */
const TEXTS: Readonly<Record<string, readonly [TextKind, "content_index" | "summary_index"]>> = {
  "response.output_text.delta": ["text", "content_index"],
  "response.refusal.delta": ["refusal", "content_index"],
  "response.reasoning_summary_text.delta": ["reasoning", "summary_index"],
  "response.reasoning_text.delta": ["reasoning", "content_index"],
};

/**
 * Translates the events of a response into chunks. Nothing is sent before the first content: until then the gateway can still return an
 * error status or fail over.
 */
export class ResponseEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #reader: ItemReader;
  readonly #open = new Map<unknown, OpenItem>();
  #id: string | undefined;
  #writer: ChunkWriter | undefined;
  #calls = 0;
  /** Whether events have had content: some servers send it only in the last one. */
  #hasContent = false;
  #usage: Usage | undefined;
  /** Bytes of encrypted reasoning, which the output tokens include. */
  #encryptedBytes = 0;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#reader = new ItemReader(call.credential, (deviation) => call.report(deviation));
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return (this.#writer?.uncountedBytes ?? 0) + this.#encryptedBytes;
  }

  take(data: string, chunks: string[]): boolean {
    if (data === "" || data === "[DONE]") return false;
    const event = parseAnswer(data, JSON.parse);
    if (!isObject(event)) throw unparsableResponse("an event that is not an object");
    const { type, response, item, output_index: at } = event;
    if (type === "error") throw failureOf(isObject(event["error"]) ? event["error"] : event);
    if (isObject(response)) return this.#takeSnapshot(type, response, chunks);
    const text = typeof type === "string" && Object.hasOwn(TEXTS, type) ? TEXTS[type] : undefined;
    this.#hasContent ||= text !== undefined || isObject(item);
    if (text) this.#takeText(text[0], event, at, event[text[1]], chunks);
    else if (type === "response.function_call_arguments.delta") this.#takeArguments(event["delta"], at, chunks);
    else if (type === "response.output_item.added" && isObject(item)) this.#openItem(item, at, chunks);
    else if (type === "response.output_item.done" && isObject(item)) this.#closeItem(item, at, chunks);
    // Clients must expect new events, and most of the known ones repeat what others have said.
    return false;
  }

  requireFinished(): void {
    if (!this.#writer?.isFinished) throw truncatedResponse("the stream ended without response.completed");
  }

  endEvents(usage: Usage, more: Json): readonly string[] {
    return [this.#chunks.usageChunk(usage, more)];
  }

  closingChunks(finishReason: string): string[] {
    return this.#chunks.closingChunks(finishReason);
  }

  /** The writer, created by the first event that has something to send. */
  get #chunks(): ChunkWriter {
    return (this.#writer ??= new ChunkWriter(this.#call.model, this.#id ?? newResponseId()));
  }

  #takeSnapshot(type: unknown, response: Json, chunks: string[]): boolean {
    this.#id ??= idOf(response);
    const isComplete = type === "response.completed";
    const hasEnded = isComplete || type === "response.incomplete";
    if (hasEnded) this.#takeOutput(response["output"], chunks);
    if (hasEnded || type === "response.failed") this.#count(response);
    if (type === "response.failed") throw failureOf(response["error"]);
    if (!hasEnded) return false;
    if (!this.#usage) this.#call.report("usage_missing");
    if (isComplete && [...this.#open.values()].some(({ call }) => call !== undefined))
      throw truncatedResponse("a tool call without an end");
    chunks.push(this.#chunks.finish(finishReasonOf(response, isComplete, this.#calls > 0, (deviation) => this.#call.report(deviation))));
    return true;
  }

  /** Takes what no event has had from the output of the whole response: calls without an end, or everything. */
  #takeOutput(output: unknown, chunks: string[]): void {
    if (!Array.isArray(output)) return;
    for (const [at, item] of output.entries()) {
      const isOpenCall = this.#open.get(at)?.call !== undefined && isObject(item) && item["type"] === "function_call";
      if (isOpenCall || !this.#hasContent) this.#closeItem(item, at, chunks);
    }
  }

  /** The counts of a response that has failed are charged, too. Counts without the output do not cover the text that was sent. */
  #count(response: Json): void {
    this.#usage = usageOf(response, this.#call);
    if (!this.#usage || this.#usage.completionTokens === 0) return;
    this.#writer?.counted();
    this.#encryptedBytes = 0;
  }

  #takeText(kind: TextKind, { delta }: Json, at: unknown, place: unknown, chunks: string[]): void {
    const open = this.#open.get(at);
    if (open) open.hasContent = true;
    for (const piece of this.#reader.text(kind, delta, at, place)) this.#emit(piece, chunks);
  }

  #takeArguments(delta: unknown, at: unknown, chunks: string[]): void {
    const open = this.#open.get(at);
    if (open?.call === undefined || typeof delta !== "string") return this.#call.report("event_unexpected");
    open.args += delta;
    if (delta !== "") chunks.push(this.#chunks.toolArguments(delta, open.call));
  }

  #openItem(item: Json, at: unknown, chunks: string[]): void {
    if (this.#open.size >= MAX_OPEN_ITEMS) throw unparsableResponse("too many items at a time");
    const isCall = item["type"] === "function_call";
    if (isCall) chunks.push(this.#chunks.toolCall(this.#reader.headOf(item)));
    this.#open.set(at, { call: isCall ? this.#calls++ : undefined, hasContent: false, args: "" });
  }

  /** The complete item has what no delta has: all of its content on servers without deltas, and encrypted reasoning on every server. */
  #closeItem(item: unknown, at: unknown, chunks: string[]): void {
    if (!isObject(item)) throw unparsableResponse("an item that is not an object");
    const { call, hasContent = false, args = "" } = this.#open.get(at) ?? {};
    this.#open.delete(at);
    this.#encryptedBytes += Buffer.byteLength(textOf(item["encrypted_content"]));
    if (call !== undefined) {
      const whole = argumentsOf(item);
      if (whole.startsWith(args) && whole !== args) chunks.push(this.#chunks.toolArguments(whole.slice(args.length), call));
    } else if (hasContent) {
      this.#reader.keep(item);
    } else {
      for (const piece of this.#reader.take(item, at)) this.#emit(piece, chunks);
    }
  }

  #emit(piece: Piece, chunks: string[]): void {
    if (piece.kind !== "call") return void chunks.push(this.#chunks[piece.kind](piece.text));
    this.#calls++;
    chunks.push(this.#chunks.toolCall(piece.head, piece.args));
  }
}
